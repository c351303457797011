// tillbell sandbox-gateway: the sandbox gateway as a server of its own, so that tests cross a real network. Its books
// are in memory: they last as long as it runs.

import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../config.ts'
import { memoryBooks } from '../gateways/sandbox/books.ts'
import { createSandboxServer } from '../gateways/sandbox/server.ts'
import { type Command, exitCodes, jsonOption, UsageError } from './command.ts'

export const sandboxGateway: Command = {
  positionals: [],
  options: { port: { type: 'port', says: 'The port; 0 picks a free one. 9900 by default.' }, json: jsonOption },
  examples: ['tillbell sandbox-gateway --port 9900'],
  async run({ options, print }) {
    const port = Number(options.port ?? 9900)
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new UsageError('--port must be a whole number from 0 to 65535.')
    const server = createSandboxServer({ books: memoryBooks(), fingerprintKey: randomBytes(32) })
    await new Promise<void>((resolve, reject) => {
      server.once('error', error => reject(listenProblem(error, port)))
      server.listen(port, '127.0.0.1', resolve)
    })
    // Before it says where it is: whoever reads that may tell it to stop at once.
    const toldToStop = new Promise(resolve => process.once('SIGINT', resolve).once('SIGTERM', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    print(options.json === true ? JSON.stringify({ url }) : `The sandbox gateway is at ${url}`)
    await toldToStop
    server.close()
    server.closeAllConnections()
    return exitCodes.done
  },
}

function listenProblem(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`--port ${port} is in use on 127.0.0.1. Choose another, or 0 for any free one.`)
  if (error.code === 'EACCES') return new ConfigError(`--port ${port} may not be used by this user.`)
  return error
}
