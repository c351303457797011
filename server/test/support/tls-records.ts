// A client that decides how large the records of its TLS are.

import type { TLSSocket } from 'node:tls'

/** Ends early where the connection does. */
export async function writeRecords(socket: TLSSocket, bytes: Buffer, recordBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length && socket.writable; at += recordBytes) {
    // What is written while a write is under way shares its record.
    await new Promise(resolve => socket.write(bytes.subarray(at, at + recordBytes), resolve))
  }
}
