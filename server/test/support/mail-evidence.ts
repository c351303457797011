// What was found out about an email that proves its sender.

import { fieldOf } from '../../src/mail/in/header.ts'
import type { CheckedSignature, Evidence } from '../../src/mail/in/judge.ts'
import { mailDomain, payment } from './test-intake.ts'

export const now = new Date('2026-11-15T10:00:00Z')

export const signature: CheckedSignature = {
  domain: 'shop.test',
  selector: 'post',
  identity: '@shop.test',
  result: 'pass',
  comment: null,
  isAlignedByDmarc: true,
  isTrial: false,
  signsWholeBody: true,
  covers: new Set(['from', 'to', 'date', 'message-id']),
  signedAt: now,
  expiresAt: null,
  sha256: Buffer.alloc(32, 1),
}

export const lines = [
  'From: Ada <ada@shop.test>',
  `To: ${payment}`,
  'Date: 15 Nov 2026 10:00:00 +0000',
  'Message-ID: <1@shop.test>',
]

export const evidence: Evidence = {
  fields: lines.map(fieldOf),
  fromAddresses: ['ada@shop.test'],
  signatures: [signature],
  spf: 'none',
  spfDomain: null,
  isSpfAlignedByDmarc: null,
  dmarc: 'pass',
  recipient: payment,
  mailDomain,
  body: 'not read',
  unknownCharset: null,
  now,
}
