// A client that changes the keys of its TLS 1.3 connection as often as it likes, which Node's cannot: it makes the records itself.

import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'

/** RFC 8446, 7.1. */
function expand(secret: Buffer, label: string, bytes: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.from([0, bytes, name.length]), name, Buffer.from([0, 1])])
  return createHmac('sha256', secret).update(info).digest().subarray(0, bytes)
}

/** A connection for which nobody but its own side reads, so that what is written to it need not come from TLS. */
function overOf(socket: net.Socket): Duplex {
  const over = new Duplex({
    read() {},
    write: (bytes, _, done) => void socket.write(bytes, () => done()),
  })
  socket.on('data', bytes => over.push(bytes)).on('close', () => over.destroy())
  return over
}

/** After the handshake. What it resolves with sends so many messages of 27 bytes in one piece. */
export async function keyUpdater(port: number): Promise<{ socket: net.Socket; update(times: number): void }> {
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const secured = tls.connect({
    ...{ socket: overOf(socket), rejectUnauthorized: false, minVersion: 'TLSv1.3' },
    ciphers: 'TLS_AES_128_GCM_SHA256',
  })
  secured.on('error', () => {})
  secured.on('keylog', (line: Buffer) => {
    const [label, , secret = ''] = String(line).trim().split(' ')
    if (label === 'CLIENT_TRAFFIC_SECRET_0') resolve(Buffer.from(secret, 'hex'))
  })
  await once(secured, 'secureConnect')
  let secret = await promise
  const keyUpdate = () => {
    const header = Buffer.from([23, 3, 3, 0, 22])
    // The sequence number is 0 after each change of keys, so the IV stands for itself.
    const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), expand(secret, 'iv', 12))
    const handshakeType = 22
    const encrypted = cipher.setAAD(header).update(Buffer.from([24, 0, 0, 1, 0, handshakeType]))
    secret = expand(secret, 'traffic upd', 32)
    return Buffer.concat([header, encrypted, cipher.final(), cipher.getAuthTag()])
  }
  return {
    socket,
    update: times => void socket.write(Buffer.concat(Array.from({ length: times }, keyUpdate))),
  }
}
