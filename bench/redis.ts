// A Redis for peers that need one, where it is installed: on a port and in a folder of its own, and as durable as PostgreSQL is.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../server/test/support/until.ts'

export interface Redis {
  readonly port: number
  close(): Promise<void>
}

/** Null: there is none on this machine. */
export async function openRedis(): Promise<Redis | null> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-bench-redis-'))
  const port = await freePort()
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  // It does not write its file anew: that would fall into the time of others.
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--auto-aof-rewrite-percentage', '0']
  const child = spawn('redis-server', [...words, ...durable], { stdio: 'ignore' })
  const gone = once(child, 'exit').catch(() => null)
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false,
  )
  if (isThere) await until('Redis answers', () => answers(port))
  const close = async () => {
    child.kill()
    await gone
    await rm(folder, { recursive: true, force: true })
  }
  if (isThere) return { port, close }
  await rm(folder, { recursive: true, force: true })
  return null
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1', () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
