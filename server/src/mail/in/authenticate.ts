// Finds out who sent an email: DNS, SPF and DMARC, on what the connection said and on no header that says who sent it. Signatures
// are verified by the reader, which may be another thread. What the findings mean is judged elsewhere.

import type { CheckedSignature, Evidence, Judgement } from './judge.ts'
import type { MailReader } from './mail-reader.ts'
import { asciiDomain, authorsForDmarc, limitDmarcWork, limitSpfWork, spfIdentities } from './policy-limits.ts'
import type { Envelope, InboundPorts } from './ports.ts'
import type { KeyAnswer, KeyRecords, SignatureFindings, VerifiedSignature } from './verify-signatures.ts'

export interface Letter extends Pick<Evidence, 'recipient' | 'body' | 'unknownCharset'> {
  readonly envelope: Envelope
  readonly raw: Buffer
}

type AuthenticationPorts = Pick<InboundPorts, 'resolve' | 'now' | 'mailDomain'> & {
  readonly reader: Pick<MailReader, 'verifySignatures' | 'judge'>
}

/** Null: DNS was in trouble, and another time it may be proven. `deadlineMs` is for all of DNS together. */
export async function authenticate(
  ports: AuthenticationPorts,
  letter: Letter,
  deadlineMs = 10_000,
): Promise<Judgement | null> {
  const { recipient, body, unknownCharset, envelope, raw } = letter
  const dns = createDnsTime(ports.resolve, deadlineMs)
  const dkim = await verified(ports.reader, raw, dns)
  const policies = dkim === null ? null : await dns.within(resolve => checkPolicies(resolve, envelope, dkim))
  if (dkim === null || policies === null) return null
  const evidence = {
    ...evidenceOf(dkim, policies),
    ...{ recipient, body, unknownCharset, mailDomain: ports.mailDomain, now: ports.now() },
  }
  const judgement = await ports.reader.judge(evidence)
  return judgement.verdict.isProven || !hadTrouble(dkim, policies) ? judgement : null
}

type Resolve = InboundPorts['resolve']

/** Null: DNS did not answer in time. */
async function verified(
  reader: AuthenticationPorts['reader'],
  raw: Buffer,
  dns: DnsTime,
): Promise<SignatureFindings | null> {
  const first = await reader.verifySignatures(raw, new Map())
  if (first.missingKeys.length === 0) return first
  const keys = await dns.within(resolve => lookUpKeys(resolve, first.missingKeys))
  return keys === null ? null : reader.verifySignatures(raw, keys)
}

/** Honest mail has one to three. Answers are read one after the other, and other messages wait for theirs. */
const keysAtOnce = 3

async function lookUpKeys(resolve: Resolve, names: readonly string[]): Promise<KeyRecords> {
  const lookUp = async (name: string): Promise<KeyAnswer> => {
    try {
      const records = await resolve(name, 'TXT')
      return { records: records.map(record => (typeof record === 'string' ? [record] : record)) }
    } catch (error) {
      return { errorCode: (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN' }
    }
  }
  const left = [...names]
  const answers = new Map<string, KeyAnswer>()
  const lookUpTheNext = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) answers.set(name, await lookUp(name))
  }
  await Promise.all(Array.from({ length: keysAtOnce }, lookUpTheNext))
  return answers
}

type Spf = Awaited<ReturnType<typeof import('mailauth/lib/spf/index.js').spf>>
type Dmarc = Awaited<ReturnType<typeof import('mailauth/lib/dmarc/index.js').evaluateDmarc>>

interface Policies {
  /** Null: nobody said who brought it, or for whom. */
  readonly spf: Spf | null
  readonly dmarc: Dmarc
}

async function checkPolicies(resolve: Resolve, envelope: Envelope, dkim: SignatureFindings): Promise<Policies> {
  const { evaluateDmarc } = await import('mailauth/lib/dmarc/index.js')
  const spf = await checkSpf(resolve, envelope)
  const passing = dkim.signatures.filter(({ result }) => result === 'pass')
  const dmarc = await evaluateDmarc({
    headerFrom: authorsForDmarc(dkim.fromAddresses),
    fromFields: dkim.fromFieldCount,
    spfDomains: spf?.status.result === 'pass' ? [spf.domain] : [],
    dkimDomains: passing.map(({ id, domain, isAligned, underSized }) => ({
      ...{ id, domain },
      ...(isAligned && { aligned: domain }),
      ...(underSized !== null && { underSized }),
    })),
    resolver: limitDmarcWork(resolve),
    strict: true,
  })
  return { spf, dmarc }
}

async function checkSpf(resolve: Resolve, envelope: Envelope): Promise<Spf | null> {
  const identities = spfIdentities(envelope)
  if (identities === null) return null
  const { spf } = await import('mailauth/lib/spf/index.js')
  return spf({ ...identities, mta: 'tillbell', resolver: limitSpfWork(resolve), strict: true })
}

interface DnsTime {
  /** Null: the time is over. Then no more questions are asked either. */
  within<T>(work: (resolve: Resolve) => Promise<T>): Promise<T | null>
}

/** Time for the questions to DNS alone: a queue for a thread does not use it up. */
function createDnsTime(resolve: Resolve, timeMs: number): DnsTime {
  let leftMs = timeMs
  return {
    async within(work) {
      const startMs = performance.now()
      const stop = new AbortController()
      const over = Promise.withResolvers<null>()
      const timer = setTimeout(() => {
        stop.abort()
        over.resolve(null)
      }, leftMs)
      const asking: Resolve = async (name, type) => {
        stop.signal.throwIfAborted()
        return resolve(name, type)
      }
      try {
        return await Promise.race([work(asking), over.promise])
      } finally {
        clearTimeout(timer)
        leftMs = Math.max(0, leftMs - (performance.now() - startMs))
      }
    },
  }
}

function hadTrouble({ signatures }: SignatureFindings, { spf, dmarc: { response } }: Policies): boolean {
  const results = [...signatures, ...(spf ? [spf.status] : []), ...(response ? [response.status] : [])]
  return results.some(({ result }) => result === 'temperror')
}

function evidenceOf({ fields, fromAddresses, signatures }: SignatureFindings, { spf, dmarc }: Policies) {
  const { response } = dmarc
  // Only of these two is it known that there is a record, and that every domain was compared by it.
  const byDmarc = response && ['pass', 'fail'].includes(response.status.result) ? response : null
  return {
    fields,
    fromAddresses,
    signatures: signatures.map(signature => checked(signature, byDmarc === null ? null : isAlignedBy(dmarc))),
    spf: spf?.status.result ?? 'none',
    spfDomain: spf?.status.result === 'pass' ? spf.domain : null,
    isSpfAlignedByDmarc: byDmarc === null ? null : Boolean(byDmarc.alignment.spf.result),
    dmarc: response ? response.status.result : 'none',
  }
}

type IsAligned = (signature: VerifiedSignature) => boolean

/**
 * Signatures are verified before the DMARC record is known. One that passes is aligned if DMARC says so; of one that fails, which
 * is only shown, a strict record asks for the very same domain.
 */
function isAlignedBy({ response, dkimAligned = new Set() }: Dmarc): IsAligned {
  const from = response ? (response.status.header?.from ?? '') : ''
  const isStrict = response ? response.alignment.dkim.strict : false
  return ({ result, domain, isAligned }) => {
    if (result === 'pass') return dkimAligned.has(normalDomain(domain))
    return isAligned && (!isStrict || normalDomain(domain) === normalDomain(from))
  }
}

const normalDomain = (domain: string) => asciiDomain(domain.trim()).replace(/\.+$/, '')

function checked(signature: VerifiedSignature, isAligned: IsAligned | null): CheckedSignature {
  const { id, isAligned: _, underSized: __, ...found } = signature
  return {
    ...found,
    isAlignedByDmarc: isAligned === null ? null : isAligned(signature),
    sha256: Buffer.from(id, 'hex'),
  }
}
