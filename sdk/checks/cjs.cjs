const { check } = require('./check.cjs')
const { checkServer } = require('./server.cjs')

const modules = {
  sdk: require('@tillbell/sdk'),
  express: require('@tillbell/sdk/express'),
  fastify: require('@tillbell/sdk/fastify'),
  fetch: require('@tillbell/sdk/fetch'),
  hono: require('@tillbell/sdk/hono'),
  next: require('@tillbell/sdk/next'),
  testing: require('@tillbell/sdk/testing'),
  token: require('@tillbell/sdk/token'),
}

check(modules)
  .then(() => checkServer(modules))
  .then(() => process.stdout.write('kept\n'))
