import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evidence, lines, now, signature } from '../../../test/support/mail-evidence.ts'
import { fieldOf } from './header.ts'
import { type CheckedSignature, type Evidence, judge } from './judge.ts'

const isProven = (other: Partial<Evidence>) => judge({ ...evidence, ...other }).verdict.isProven
const isProvenBy = (...others: Partial<CheckedSignature>[]) =>
  isProven({ signatures: others.map(other => ({ ...signature, ...other })) })

test('where everything holds, it is proven, by the signature that holds', () => {
  const bad = { ...signature, result: 'fail', sha256: Buffer.alloc(32, 2) }
  const { verdict, provenBy } = judge({ ...evidence, signatures: [bad, signature] })
  assert.equal(verdict.isProven, true)
  assert.deepEqual(provenBy, [signature.sha256])
})

test('how the body is to be read is signed where one signature that proves it covers both fields', () => {
  const isReadingSigned = (...names: (readonly string[])[]) => {
    const signatures = names.map(more => ({ ...signature, covers: new Set([...signature.covers, ...more]) }))
    return judge({ ...evidence, signatures }).isReadingSigned
  }
  const [type, encoding] = ['content-type', 'content-transfer-encoding']
  assert.equal(isReadingSigned([type, encoding]), true)
  assert.equal(isReadingSigned([], [type, encoding]), true)
  for (const names of [[], [type], [encoding]]) assert.equal(isReadingSigned(names), false, names.join())
  const fields = [fieldOf('Content-Type: multipart/alternative; boundary="b"')]
  const ofParts = { ...evidence, fields: [...evidence.fields, ...fields] }
  const covers = new Set([...signature.covers, type])
  assert.equal(
    judge({ ...ofParts, signatures: [{ ...signature, covers }] }).isReadingSigned,
    true,
    'parts say it themselves',
  )
  const failed = { ...signature, result: 'fail', covers: new Set([...signature.covers, type, encoding]) }
  assert.equal(judge({ ...evidence, signatures: [signature, failed] }).isReadingSigned, false)
})

test('who aligned the domains must have read the very same one address', () => {
  for (const fromAddresses of [[], ['eve@shop.test'], ['ada@shop.test', 'eve@shop.test']]) {
    assert.equal(isProven({ fromAddresses }), false)
  }
  const fields = ['From: ada@shop.test, eve@shop.test', ...lines.slice(1)].map(fieldOf)
  assert.equal(isProven({ fields }), false)
})

test('two halves of a proof are none', () => {
  const halves = [
    { signsWholeBody: false },
    { covers: new Set(['from']) },
    { isAlignedByDmarc: false },
    { signedAt: null },
    { isTrial: true },
    { expiresAt: new Date(now.getTime() - 1) },
  ]
  for (const one of halves) {
    assert.equal(isProvenBy(one, { ...one }), false)
    for (const other of halves) if (other !== one) assert.equal(isProvenBy(one, other), false)
  }
  assert.equal(isProvenBy({ result: 'fail' }, { isAlignedByDmarc: false }), false)
})

test('the windows, to the second', () => {
  const at = (hours: number, ms = 0) => new Date(now.getTime() + hours * 3_600_000 + ms)
  assert.deepEqual(
    [at(-48), at(-48, -1)].map(signedAt => isProvenBy({ signedAt })),
    [true, false],
  )
  assert.deepEqual(
    [at(5 / 60), at(5 / 60, 1)].map(signedAt => isProvenBy({ signedAt })),
    [true, false],
  )
  const dated = (date: string) =>
    isProven({ fields: [...lines.slice(0, 2), `Date: ${date}`, lines[3] ?? ''].map(fieldOf) })
  assert.deepEqual(['13 Nov 2026 10:00:00 +0000', '13 Nov 2026 09:59:59 +0000'].map(dated), [true, false])
  assert.deepEqual(['17 Nov 2026 10:00:00 +0000', '17 Nov 2026 10:00:01 +0000'].map(dated), [true, false])
})

test('without DMARC the very same domain, in whichever spelling', () => {
  const signedBy = (domain: string) => isProvenBy({ domain, isAlignedByDmarc: null })
  assert.deepEqual(['shop.test', 'SHOP.TEST', 'a.shop.test', 'test', 'ashop.test', ''].map(signedBy), [
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})

test('DMARC does not make neighbours of those who only share a registry', () => {
  const from = (address: string) => ({
    fields: [`From: ${address}`, ...lines.slice(1)].map(fieldOf),
    fromAddresses: [address],
  })
  const signed = (domain: string, address: string) =>
    isProven({ ...from(address), signatures: [{ ...signature, domain, isAlignedByDmarc: true }] })
  assert.equal(signed('shop.co.uk', 'ada@mail.shop.co.uk'), true)
  assert.equal(signed('mail.shop.co.uk', 'ada@shop.co.uk'), true)
  assert.equal(signed('eve.co.uk', 'ada@shop.co.uk'), false)
  assert.equal(signed('eve.github.io', 'ada@shop.github.io'), false)
  assert.equal(signed('co.uk', 'ada@shop.co.uk'), false)
  assert.equal(signed('eve.shared.test', 'ada@tenant.shared.test'), false)
})

test('a signature that is for another user of the sender’s domain says so, beside others too', () => {
  const isForAnother = (...others: Partial<CheckedSignature>[]) =>
    judge({ ...evidence, signatures: others.map(other => ({ ...signature, ...other })) }).isSignedForAnother
  for (const identity of ['@shop.test', '@mail.shop.test', 'ada@shop.test', 'ada@SHOP.test', 'Ada@shop.test'])
    assert.equal(isForAnother({ identity }), false, identity)
  for (const identity of ['eve@shop.test', 'ada@mail.shop.test', '"ada"@shop.test', 'ada@eve@shop.test', 'ada'])
    assert.equal(isForAnother({ identity }), true, identity)
  const eve = { identity: 'eve@shop.test' }
  assert.equal(isForAnother({}, { ...eve, covers: new Set(['from']) }), true)
  assert.equal(isForAnother({}, { ...eve, result: 'fail' }), false)
  assert.equal(isForAnother({}, { domain: 'list.test', identity: 'eve@list.test', isAlignedByDmarc: false }), false)
})
