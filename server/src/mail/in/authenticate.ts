// Finds out who sent a mail: DNS and cryptography by mailauth, on what the connection said and on no header that says who
// sent it. What the findings mean is judged elsewhere.

import type { AuthenticateResult, DKIMResult } from 'mailauth'
import { fieldOf } from './header.ts'
import type { CheckedSignature, Evidence, Judgement } from './judge.ts'
import type { Envelope, InboundPorts } from './ports.ts'

export interface Letter extends Pick<Evidence, 'recipient' | 'body' | 'unknownCharset'> {
  readonly envelope: Envelope
  readonly raw: Buffer
}

/** Null: DNS was in trouble, and another time it may be proven. */
export async function authenticate(
  ports: Pick<InboundPorts, 'resolve' | 'now' | 'mailDomain'>,
  letter: Letter,
  deadlineMs = 10_000,
): Promise<Judgement | null> {
  const { recipient, body, unknownCharset } = letter
  const found = await withDeadline(deadlineMs, stopped => checkAll(ports, letter, stopped))
  if (found === null) return null
  const evidence = {
    ...evidenceOf(found),
    ...{ recipient, body, unknownCharset, mailDomain: ports.mailDomain, now: ports.now() },
  }
  const { judge } = await import('./judge.ts') // with the first mail: its list of public suffixes takes 6 MB
  const judgement = judge(evidence)
  return judgement.verdict.isProven || !hadTrouble(found) ? judgement : null
}

type Found = Pick<AuthenticateResult, 'dkim' | 'dmarc' | 'spf'>

async function checkAll(
  { resolve }: Pick<InboundPorts, 'resolve'>,
  { envelope, raw }: Letter,
  stopped: AbortSignal,
): Promise<Found> {
  const { mailFrom, clientAddress, helo } = envelope
  const knowsClient = mailFrom !== null && mailFrom !== '' && clientAddress !== null
  // With the first mail: it takes a quarter of the time of a start, and most processes never see one.
  const { authenticate: check } = await import('mailauth')
  const found = await check(raw, {
    ...(knowsClient ? { sender: mailFrom, ip: clientAddress, ...(helo === null ? {} : { helo }) } : {}),
    mta: 'tillbell',
    strict: true,
    trustReceived: false,
    minBitLength: 1024,
    rejectRsaSha1: true,
    disableArc: true,
    disableBimi: true,
    // Past the deadline nobody waits for answers: no more questions.
    resolver: async (name, type) => {
      stopped.throwIfAborted()
      return resolve(name, type)
    },
  })
  return knowsClient ? found : { ...found, spf: false }
}

async function withDeadline<T>(deadlineMs: number, work: (stopped: AbortSignal) => Promise<T>): Promise<T | null> {
  const stop = new AbortController()
  const over = Promise.withResolvers<null>()
  const timer = setTimeout(() => {
    stop.abort()
    over.resolve(null)
  }, deadlineMs)
  try {
    return await Promise.race([work(stop.signal), over.promise])
  } finally {
    clearTimeout(timer)
  }
}

function hadTrouble({ dkim, dmarc, spf }: Found): boolean {
  const statuses = [...dkim.results, ...(dmarc ? [dmarc] : []), ...(spf ? [spf] : [])].map(({ status }) => status)
  return statuses.some(({ result }) => result === 'temperror')
}

function evidenceOf({ dkim, dmarc, spf }: Found) {
  // Only of these two is it known that there is a record, and that every domain was compared by it.
  const byDmarc = dmarc && ['pass', 'fail'].includes(dmarc.status.result) ? dmarc : null
  return {
    fields: (dkim.headers?.parsed ?? []).map(({ line }) => fieldOf(line.toString('latin1'))),
    fromAddresses: dkim.headerFrom,
    signatures: dkim.results
      .filter(({ signingDomain }) => signingDomain !== undefined)
      .map(result => signatureOf(result, byDmarc !== null)),
    spf: spf ? spf.status.result : 'none',
    spfDomain: spf && spf.status.result === 'pass' ? spf.domain : null,
    isSpfAlignedByDmarc: byDmarc === null ? null : Boolean(byDmarc.alignment.spf.result),
    dmarc: dmarc ? dmarc.status.result : 'none',
  }
}

function signatureOf(found: DKIMResult, isByDmarc: boolean): CheckedSignature {
  const { signingDomain = '', selector = '', status, signingHeaders, canonBodyLengthLimited, id = '' } = found
  const { policy } = status
  return {
    domain: signingDomain,
    selector,
    result: status.result,
    comment: status.comment || policy?.['dkim-rules'] || null,
    isAlignedByDmarc: isByDmarc ? Boolean(status.aligned) : null,
    isTrial: status.testing === true,
    signsWholeBody: canonBodyLengthLimited === false,
    covers: new Set((signingHeaders?.keys ?? '').toLowerCase().split(/\s*:\s*/)),
    signedAt: instant(found.signTime),
    expiresAt: instant(found.expiresAfter),
    sha256: Buffer.from(id, 'hex'),
  }
}

const instant = (text: string | null | undefined) => (text ? new Date(text) : null)
