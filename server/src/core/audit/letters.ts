// What the audit holds payments by mail to: each comes of a letter, wants nothing that it has already taken, uses its token
// once, and its customer was told. Each fault is one sentence.

import { type MailKind, mailKinds } from '../letter.ts'
import type { TransactionStatus } from '../transaction.ts'
import { type NotedChange, owedBy } from './owed.ts'

export interface MailedTransaction {
  readonly isByMail: boolean
  readonly status: TransactionStatus
  /** What it wants of its customer. */
  readonly wants: string | null
  /** For how long it has wanted that beyond its time; null: it is in time. */
  readonly overdueMs: number | null
  readonly hasOperation: boolean
  readonly hasToken: boolean
  /** The token that it was asked for with is marked as used by it. */
  readonly usesToken: boolean
  /** How many tokens are. */
  readonly tokensUsed: number
  /** A person has to look into whether its charge was made. */
  readonly isListed: boolean
  readonly changes: readonly NotedChange[]
  /** It had failed, and a person accepted a late success. */
  readonly wasAccepted: boolean
  /** Nobody went on with it in time: its customer was told before. */
  readonly wasUnwanted: boolean
  readonly letters: number
  /** One of them proves its sender. */
  readonly isProven: boolean
  /** One of them says that its sender wants to pay, or came before that was asked. */
  readonly hasConsent: boolean
  /** Each asked for this very offer. */
  readonly isOfOffer: boolean
  /** So young that nothing of its letters can have been forgotten. */
  readonly isRemembered: boolean
  /** Null: it cannot be told which mails it owes. */
  readonly isAnswered: boolean | null
  readonly mails: readonly MailKind[]
}

export function faultsOfLetters(transaction: MailedTransaction): string[] {
  if (!transaction.isByMail) {
    const cameFaults = transaction.letters === 0 ? [] : ['was not made by mail, and a letter says that it came of it.']
    return [...cameFaults, ...tokenFaults(transaction), ...extraUseFaults(transaction)]
  }
  return [cameFaults, proofFaults, wantFaults, tokenFaults, toldFaults].flatMap(faultsOf => faultsOf(transaction))
}

function cameFaults({ letters, isRemembered, isOfOffer }: MailedTransaction): string[] {
  if (letters > 0 && !isOfOffer) return ['came of a letter that asked for another offer.']
  return letters === 0 && isRemembered ? ['was made by mail, and no letter says so.'] : []
}

/** Who did not prove to have written is asked: without their going on nothing may be charged. */
function proofFaults(transaction: MailedTransaction): string[] {
  const { hasOperation, isProven, hasConsent, letters, isRemembered, changes } = transaction
  const wentOn = changes.some(({ from, to }) => from === 'Further Action Required' && to === 'Processing')
  if (!hasOperation || letters === 0 || !isRemembered || wentOn) return []
  if (!isProven) return ['was charged, and nobody proved or confirmed to have asked for it.']
  return hasConsent ? [] : ['was charged at once, and its mail did not say that its sender wants to pay.']
}

/** The sweeper comes every few seconds; where the clock of a sandbox is moved, it has caught up by then. */
const overdueMaxMs = 3_600_000

function wantFaults({ wants, overdueMs, hasOperation, tokensUsed }: MailedTransaction): string[] {
  if (wants === null) return []
  return [
    ...(hasOperation ? [`still wants a ${wants}, and the gateway was called.`] : []),
    ...(tokensUsed > 0 ? [`still wants a ${wants}, and has used a token.`] : []),
    ...(overdueMs !== null && overdueMs > overdueMaxMs ? [`wants a ${wants}, and its time was over long ago.`] : []),
  ]
}

const over: readonly TransactionStatus[] = ['Failed', 'Voided']

/** A late success is accepted whatever became of its token meanwhile. Until a person has decided about its charges, it may use the token. */
function tokenFaults(transaction: MailedTransaction): string[] {
  const { status, wants, hasToken, usesToken, tokensUsed, wasAccepted, isListed } = transaction
  if (over.includes(status)) return tokensUsed === 0 || isListed ? [] : [`is ${status}, and still uses a token.`]
  const isUseOwed = hasToken && wants === null && !wasAccepted
  return isUseOwed && !usesToken ? [`is ${status}, and its token is not marked as used by it.`] : []
}

/** What no mail asked for uses the token that it names, and no other: nothing confirms it by a second one. */
function extraUseFaults({ tokensUsed, usesToken, status }: MailedTransaction): string[] {
  const isExtra = !over.includes(status) && tokensUsed > (usesToken ? 1 : 0)
  return isExtra ? [`is ${status}, and uses a token that it does not name.`] : []
}

const mailOf = { transaction: 'receipt', far: 'further_action', error: 'error', update: null } as const

function toldFaults(transaction: MailedTransaction): string[] {
  const { changes, isRemembered, isAnswered, mails } = transaction
  if (!isRemembered || isAnswered === null) return []
  const owed = isAnswered ? changes.flatMap(change => mailOwedBy(transaction, change)) : []
  const count = (kind: MailKind, kinds: readonly MailKind[]) => kinds.filter(each => each === kind).length
  return mailKinds.flatMap(kind => {
    const [owes, has] = [count(kind, owed), count(kind, mails)]
    return owes === has ? [] : [`owes its customer ${owes} ${kind} mails, and has ${has}.`]
  })
}

function mailOwedBy({ wasUnwanted }: MailedTransaction, change: NotedChange): MailKind[] {
  if (wasUnwanted && change.to === 'Failed') return []
  const kind = owedBy(change)
  const mail = kind === null ? null : mailOf[kind]
  return mail === null ? [] : [mail]
}

export interface WaitingLetter {
  readonly waitsForMs: number
  /** Null: nobody holds it. */
  readonly holderLives: boolean | null
}

const waitsMaxMs = 3_600_000

export function notesOnLetter({ waitsForMs, holderLives }: WaitingLetter): string[] {
  return [
    ...(holderLives === false ? ['is held by a worker that is gone, and about to be freed.'] : []),
    ...(waitsForMs > waitsMaxMs ? ['has waited for more than an hour to be paid.'] : []),
  ]
}

/** Of a token that pays once: the payments that stand. */
export function faultsOfToken({ transactions }: { readonly transactions: readonly string[] }): string[] {
  return transactions.length <= 1
    ? []
    : [`has paid ${transactions.length} times: transactions ${transactions.join(', ')}.`]
}
