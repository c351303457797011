// The handler for Node's requests, behind a real server.

const { createServer } = require('node:http')
const { privateKey } = require('./check.cjs')

async function checkServer({ express, testing }) {
  const seen = []
  const handler = express.hookHandler({
    privateKey,
    on: { transaction: hook => seen.push(hook.details.name) },
    onError: () => {},
  })
  const server = createServer(handler)
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const ask = async key => {
    const { method, headers, body } = testing.signHook(testing.sample('transaction', { name: 'Zoë' }), key)
    const response = await fetch(`http://127.0.0.1:${server.address().port}/hooks`, { method, headers, body })
    return `${response.status} ${await response.text()}`
  }
  try {
    const answers = `${await ask(privateKey)} ${(await ask('another')).slice(0, 3)} ${seen}`
    if (answers !== '200 {"ok":true} 403 Zoë') throw new Error(`The server answered ${answers}`)
  } finally {
    server.closeAllConnections?.()
    await new Promise(resolve => server.close(resolve))
  }
}

module.exports = { checkServer }
