// What a connection sends is parsed a few kilobytes at a time. Node parses all that was read at once, though the socket may be
// destroyed by its first bytes: 64 KiB hold 2,500 requests or 10,000 chunks of a body, which take 70 ms and 25 ms.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Holds the headers of usual requests. */
const sliceBytes = 4_096

/** Before each slice it is looked whether the connection is still wanted: one that we destroyed, or whose last answer is sent, is not. */
export function parseInSlices(server: Server, isSecure: boolean): void {
  server.on(isSecure ? 'secureConnection' : 'connection', (connection: Socket) => {
    // Node's own, which gives all that it gets to its parser.
    const [parse] = connection.listeners('data') as ((bytes: Buffer) => void)[]
    if (parse === undefined) return
    connection.removeListener('data', parse)
    connection.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length && connection.writable; at += sliceBytes) {
        // Its parser takes nothing while Node has paused the connection.
        if (connection.isPaused()) return void connection.unshift(bytes.subarray(at))
        parse(bytes.subarray(at, at + sliceBytes))
      }
    })
  })
}
