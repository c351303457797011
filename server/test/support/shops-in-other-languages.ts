// The examples in PHP, Ruby and Python, all of their own code, in their interpreters. Only what listens on a socket is ours.

import { cp, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { askPhp, runPython, runRuby, sharedFolder } from './interpreters.ts'
import { ordersIn } from './orders-in-sqlite.ts'
import type { Shop, ShopRequest } from './shop-conformance.ts'

const examples = resolve(import.meta.dirname, '../../../examples')

export async function phpShop(): Promise<Shop> {
  await cp(join(examples, 'php'), join(sharedFolder, 'php'), { recursive: true })
  const database = 'php/shop.sqlite'
  return {
    async ask({ method = 'POST', path, body, privateKeys }) {
      const environment = { TILLBELL_PRIVATE_KEY: privateKeys, SHOP_DATABASE: `/shared/${database}` }
      return (await askPhp({ script: 'php/index.php', method, path, body, environment })).status
    },
    orders: async () => ordersIn(join(sharedFolder, database)),
  }
}

/** As Rack would call it. */
const callRackApp = `
require 'stringio'
app = nil
define_singleton_method(:run) { |given| app = given }
instance_eval(File.read('/shared/ruby/config.ru'), '/shared/ruby/config.ru')
input = StringIO.new(ENV['body'].b)
puts app.call('REQUEST_METHOD' => ENV['method'], 'PATH_INFO' => ENV['path'], 'rack.input' => input).first
`

export async function rubyShop(): Promise<Shop> {
  await cp(join(examples, 'ruby'), join(sharedFolder, 'ruby'), { recursive: true })
  return {
    ask: async request => Number(await runRuby(callRackApp, environmentOf(request, 'SHOP_ORDERS', 'ruby/orders'))),
    async orders() {
      const folder = join(sharedFolder, 'ruby/orders')
      const names = await readdir(folder)
      const texts = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')))
      return texts.map(text => {
        const { transaction: id, item, quantity, amount, email } = JSON.parse(text)
        return { id, item, quantity, amount, email }
      })
    },
  }
}

/** As a WSGI server would call it. */
const callWsgiApp = `
import io, os, sys
sys.path.insert(0, '/shared/python')
for name in ['server', 'receive']:
    sys.modules.pop(name, None)
import server
body = os.environ['body'].encode()
environ = {'REQUEST_METHOD': os.environ['method'], 'PATH_INFO': os.environ['path'],
  'CONTENT_LENGTH': str(len(body)), 'wsgi.input': io.BytesIO(body)}
server.app(environ, lambda status, headers: print(status.split()[0]))
`

export async function pythonShop(): Promise<Shop> {
  await cp(join(examples, 'python'), join(sharedFolder, 'python'), { recursive: true })
  const database = 'python/shop.sqlite'
  return {
    ask: async request => Number(await runPython(callWsgiApp, environmentOf(request, 'SHOP_DATABASE', database))),
    orders: async () => ordersIn(join(sharedFolder, database)),
  }
}

function environmentOf({ method = 'POST', path, body, privateKeys }: ShopRequest, name: string, place: string) {
  return { TILLBELL_PRIVATE_KEY: privateKeys, [name]: `/shared/${place}`, method, path, body }
}
