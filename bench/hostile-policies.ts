// Small mails of senders whose DNS records are made to be costly: the worst that fit into the budget of work for a message, and some that
// are far over it.

import { createHash } from 'node:crypto'
import type { DnsReply, RecordType } from '../server/test/support/dns-server.ts'
import type { HostileMail } from './hostile-mails.ts'

const times = (count: number, piece: string) => piece.repeat(count)
const letters = (count: number) =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join('')
const longSender = times(64, 'a')

/** SPF records, by a name that becomes part of a domain. Each domain includes itself, as `%d`. */
const spfRecords: { readonly [name: string]: string } = {
  'networks-of-ipv6': times(500, 'ip6:::/128 '),
  'networks-of-ipv4': times(480, 'ip4:192.0.2.1 '),
  'networks-included-again': `${times(40, 'ip6:2001:db8:1:2:3:4:5:6/64 ')}include:%d`,
  macros: times(40, 'exists:%{S} '),
  'macros-over-the-budget': `exists:${times(3_900, '%{H}')} include:%d`,
  addresses: times(10, 'a:addresses.policy.test '),
  exchanges: Array.from({ length: 10 }, (_, at) => `mx:x${at}.policy.test`).join(' '),
  names: times(40, `exists:${times(180, 'a.')}test `),
}

/** As many as an answer of 64 KB holds, each of another text. */
const keyRecords = Array.from({ length: 4_200 }, (_, at) => String.fromCharCode(33 + (at % 90), 33 + at / 90))

export function policyReply(type: RecordType, name: string): DnsReply {
  if (name.endsWith('._domainkey.policy.test')) return keyRecords
  if (name.startsWith('_dmarc.'))
    return name.endsWith('.dmarc.policy.test') ? [`v=DMARC1; p=none${times(2_800, ';')}`] : 'no such name'
  const spf = type === 'TXT' ? spfRecords[name.replace(/\.policy\.test$/, '')] : undefined
  if (spf !== undefined) return [`v=spf1 ${spf.replaceAll('%d', name)} -all`]
  if (type === 'MX') return Array.from({ length: 10 }, (_, at) => `10 h${at}.${name}`)
  return type === 'A' && name.endsWith('policy.test') ? Array.from({ length: 45 }, (_, at) => `192.0.2.${at}`) : []
}

export function hostilePolicyMails(to: string): HostileMail[] {
  const mail = (name: string, sender: string, header = `From: ada@${sender}\r\n`): HostileMail => ({
    name,
    to,
    helo: `${times(3, `${times(60, 'a')}.`)}test`,
    from: `${longSender}@${sender}`,
    data: Buffer.from(`${header}To: ${to}\r\nMessage-ID: <1@shop.test>\r\n\r\nhi\r\n.\r\n`),
  })
  const signature = `DKIM-Signature: v=1; a=rsa-sha256; d=${letters(1_500)}.test; s=a; h=from; bh=eA==; b=eA==\r\n`
  const from = 'From: ada@shop.test\r\n'
  const keys = Array.from(
    { length: 10 },
    (_, at) => `DKIM-Signature: v=1; a=rsa-sha256; d=policy.test; ${keyOf(at)}\r\n`,
  )
  return [
    ...Object.keys(spfRecords).map(name => mail(`SPF: ${name}`, `${name}.policy.test`)),
    mail('DMARC at every level', 'a.b.c.d.dmarc.policy.test'),
    mail('a long From', 'shop.test', `From: ada@${letters(2_600)}.test\r\n`),
    mail('signatures of long domains', 'shop.test', `${times(10, signature)}${from}`),
    mail('ten keys, each an answer of 64 KB', 'policy.test', `${keys.join('')}${from}`),
  ]
}

/** Of the mail's body, as a name that is as long as names can be: of a wrong hash the key is not asked for. */
function keyOf(at: number): string {
  const bodyHash = createHash('sha256').update('hi\r\n').digest('base64')
  return `s=k${at}.${times(100, 'a.')}a; h=from; bh=${bodyHash}; b=${Buffer.alloc(256, 1).toString('base64')}`
}
