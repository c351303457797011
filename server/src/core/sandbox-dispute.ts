// A dispute in the sandbox. Its gateway has no banks and tells nothing by itself, so whoever tries disputes plays the bank; from
// there on it is what any gateway's word about a dispute is.

import { agreeOnDispute } from './agree/dispute.ts'
import type { ReportedDispute } from './gateway.ts'
import type { MerchantId, TransactionId } from './ids.ts'
import { formatAmount, parseAmount } from './money.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'

export interface DisputeCommand {
  readonly merchantId: MerchantId
  readonly transactionId: TransactionId
  readonly status: ReportedDispute['status']
  /** Decimal text; null: as it stands, else all that was captured. */
  readonly amount: string | null
  readonly reason: string
}

export interface Refused {
  readonly kind: 'refused'
  readonly status: 404 | 409 | 422
  readonly field: 'transaction' | 'amount' | 'status'
  /** The rest of a sentence that begins with the field. */
  readonly says: string
}

const triesMax = 5

export async function disputeInSandbox(ports: Ports, command: DisputeCommand): Promise<Sale | Refused> {
  for (let tried = 1; tried <= triesMax; tried++) {
    const sale = await ports.store.load(command.merchantId, command.transactionId)
    if (sale === null) return refused(404, 'transaction', 'is not known.')
    const dispute = disputeOf(sale, command, ports.now())
    if ('kind' in dispute) return dispute
    const step = await agreeOnDispute(ports, sale, dispute)
    if (typeof step === 'object') return step
  }
  return refused(409, 'transaction', 'is changing just now. Try again.')
}

/** There is one of a transaction: it is opened, and then won or lost for good, with its amount. */
function disputeOf({ transaction, disputes }: Sale, command: DisputeCommand, now: Date): ReportedDispute | Refused {
  const { capturedMinor, currency, status: stands } = transaction
  if (capturedMinor === 0n) return refused(409, 'transaction', `is ${stands}: there is no money to dispute.`)
  const [known] = disputes
  const over = known === undefined || known.status === 'open' ? null : known
  if (over !== null && over.status !== command.status)
    return refused(409, 'status', `must stay ${over.status}: the dispute is over.`)
  const parsed =
    command.amount === null
      ? { amountMinor: known?.amountMinor ?? capturedMinor }
      : parseAmount(command.amount, currency)
  if ('wrong' in parsed) return refused(422, 'amount', parsed.wrong)
  const { amountMinor } = parsed
  if (amountMinor > capturedMinor)
    return refused(422, 'amount', `is more than what was captured (${formatAmount(capturedMinor, currency)}).`)
  if (over !== null && amountMinor !== over.amountMinor)
    return refused(409, 'amount', `must stay ${formatAmount(over.amountMinor, currency)}: the dispute is over.`)
  const { status, reason } = command
  return { gatewayRef: `sandbox_dispute_${transaction.id}`, amountMinor, currency, status, reason, openedAt: now }
}

function refused(status: Refused['status'], field: Refused['field'], says: string): Refused {
  return { kind: 'refused', status, field, says }
}
