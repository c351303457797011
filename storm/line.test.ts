import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../server/test/support/until.ts'
import { openLine } from './line.ts'

/** Somebody who repeats what is said, at a port or behind a file, and a line that leads there. */
async function echo(t: TestContext, at: 'port' | 'file' = 'port') {
  let said = ''
  const far = createServer(socket => {
    socket
      .on('error', () => {})
      .on('data', chunk => {
        said += chunk
      })
    socket.pipe(socket)
  })
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-line-'))
  const file = join(folder, 'socket')
  await new Promise<void>(resolve => (at === 'file' ? far.listen(file, resolve) : far.listen(0, '127.0.0.1', resolve)))
  const line = await openLine(at === 'file' ? file : (far.address() as AddressInfo).port)
  t.after(async () => {
    await line.close()
    far.close()
    await rm(folder, { recursive: true })
  })
  const call = (): Socket => connect(line.port, '127.0.0.1').on('error', () => {})
  return { line, call, said: () => said }
}

async function heard(socket: Socket, count: number): Promise<string> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (text.length >= count) break
  }
  return text
}

const closed = (socket: Socket) => new Promise<void>(resolve => socket.once('close', () => resolve()))

test('what is late arrives in its order, also when the line is quick again', async t => {
  const { line, call } = await echo(t)
  const caller = call()
  line.turn({ lateMs: 50 })
  caller.write('one ')
  await new Promise(resolve => setTimeout(resolve, 10))
  line.turn('open')
  caller.write('two')
  assert.equal(await heard(caller, 7), 'one two')
  caller.destroy()
})

test('a silent line loses nothing; a closed one turns callers away; a cut ends who speaks', async t => {
  const { line, call } = await echo(t)
  const caller = call()
  caller.write('a')
  assert.equal(await heard(caller, 1), 'a')
  line.turn('silent')
  caller.write('b')
  line.turn('open')
  assert.equal(await heard(caller, 1), 'b')
  const ended = closed(caller)
  line.cut()
  await ended
  line.turn('closed')
  await closed(call())
  line.turn('open')
  const next = call()
  next.write('c')
  assert.equal(await heard(next, 1), 'c')
  next.destroy()
})

test('of a deaf line what is asked arrives, its answer never, and whoever waits for it is cut when it hears again', async t => {
  const { line, call, said } = await echo(t)
  const [caller, other] = [call(), call()]
  caller.write('a')
  assert.equal(await heard(caller, 1), 'a')
  line.turn('deaf')
  caller.write('b')
  other.write('c')
  await until('both arrived', async () => said().length === 3)
  const ended = Promise.all([closed(caller), closed(other)])
  const answers: string[] = []
  for (const each of [caller, other]) each.on('data', chunk => answers.push(String(chunk)))
  line.turn('open')
  await ended
  assert.deepEqual(answers, [])
  const next = call()
  next.write('d')
  assert.equal(await heard(next, 1), 'd')
  next.destroy()
})

for (const how of ['cut', 'closed'] as const) {
  test(`all who speak are ended when a line to a database is ${how}`, async t => {
    const { line, call } = await echo(t, 'file')
    const callers = [call(), call(), call(), call()]
    for (const caller of callers) {
      caller.write('a')
      assert.equal(await heard(caller, 1), 'a')
    }
    const ended = Promise.all(callers.map(closed))
    if (how === 'cut') line.cut()
    else line.turn('closed')
    await ended
  })
}

test('a line whose end has gone turns callers away until it leads somewhere', async t => {
  const { line, call } = await echo(t)
  line.leadTo(null)
  await closed(call())
})
