import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { closeIdle } from './idle-connections.ts'

test('what is on its way goes on, and what waits to be used again is closed', async t => {
  const held: ServerResponse[] = []
  const server = createServer((asked, answer) =>
    asked.url === '/held' ? void held.push(answer) : void answer.end('now'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  t.after(() => {
    agent.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const ask = async (path: string) => {
    const [answer] = await once(request({ agent, port, host: '127.0.0.1', path }).end(), 'response')
    const chunks = await answer.setEncoding('utf8').toArray()
    return chunks.join('')
  }
  const slow = ask('/held')
  await once(server, 'request')
  assert.equal(await ask('/'), 'now')
  const [idle] = Object.values(agent.freeSockets).flat()
  const closed = once(idle ?? assert.fail('no connection waits'), 'close')
  closeIdle(agent)
  await closed
  held[0]?.end('later')
  assert.equal(await slow, 'later')
})
