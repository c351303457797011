import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { createAuthority } from '../../test/support/certificates.ts'
import { quickGroups } from './quick-groups.ts'

test('a client that offers only groups that cost much is refused; others are not', async t => {
  const authority = createAuthority('test')
  const server = tls.createServer({ ...authority.issue('127.0.0.1'), ecdhCurve: quickGroups }, socket => socket.end())
  server.on('tlsClientError', () => {})
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agrees = async (how: tls.ConnectionOptions) => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca: authority.cert, ...how })
    const agreed = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return agreed
  }
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    for (const ecdhCurve of ['prime256v1', 'X25519:prime256v1', 'secp521r1:prime256v1', 'auto'])
      assert.equal(await agrees({ maxVersion, ecdhCurve }), true, `${maxVersion} ${ecdhCurve}`)
    for (const ecdhCurve of ['secp521r1', 'secp384r1', 'X448'])
      assert.equal(await agrees({ maxVersion, ecdhCurve }), false, `${maxVersion} ${ecdhCurve}`)
  }
})
