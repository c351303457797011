// A port of this machine that nobody listens on, for what has to be told one.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const line = createServer().listen(0, '127.0.0.1')
  await once(line, 'listening')
  const { port } = line.address() as AddressInfo
  line.close()
  await once(line, 'close')
  return port
}
