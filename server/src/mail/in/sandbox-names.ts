// The sandbox's own corner of DNS: example.com, which RFC 2606 keeps free for this. With it the demo's mails prove who sent
// them on a machine without a network. Real money never meets it: there is none in live mode.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { MailResolverOptions } from './resolver.ts'

export const sandboxMailDomain = 'example.com'
export const sandboxSelector = 'sandbox'

/** What PKCS #8 says before the 32 bytes of an Ed25519 key (RFC 8410). */
const ed25519Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The same for as long as the service has its secret key. */
export function sandboxMailKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([ed25519Head, seed]), format: 'der', type: 'pkcs8' })
}

export function sandboxNames(key: KeyObject): NonNullable<MailResolverOptions['ownNames']> {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const texts: { readonly [name: string]: string } = {
    [sandboxMailDomain]: 'v=spf1 ip4:127.0.0.0/8 ip6:::1 -all',
    // psd: who looks for the domain that decides (RFC 9989) ends here, and does not ask the world about com.
    [`_dmarc.${sandboxMailDomain}`]: 'v=DMARC1; p=reject; psd=n',
    [`${sandboxSelector}._domainkey.${sandboxMailDomain}`]: `v=DKIM1; k=ed25519; p=${publicKey}`,
  }
  return (name, type) => {
    if (name !== sandboxMailDomain && !name.endsWith(`.${sandboxMailDomain}`)) return null
    const text = type === 'TXT' ? texts[name] : undefined
    return text === undefined ? [] : [text]
  }
}
