// Disputes: what the card's bank took back, or tries to. They move no money here; the record and an update tell of them.

import type { ReportedDispute } from '../gateway.ts'
import { keptLine } from '../kept-text.ts'
import type { Ports } from '../ports.ts'
import type { Sale } from '../sale.ts'
import { owedEvent } from '../settle.ts'
import { type Step, write } from './step.ts'

const reasonCharsMax = 255

export async function agreeOnDispute(ports: Ports, sale: Sale, said: ReportedDispute): Promise<Step> {
  const reason = said.reason === null ? null : keptLine(said.reason, reasonCharsMax)
  const known = sale.disputes.find(({ gatewayRef }) => gatewayRef === said.gatewayRef)
  // A dispute keeps the day on which it was opened.
  const dispute = { ...said, reason, openedAt: known?.openedAt ?? said.openedAt }
  if (known !== undefined && known.status === dispute.status && known.amountMinor === dispute.amountMinor) return sale
  const others = sale.disputes.filter(each => each !== known)
  const disputes = [...others, dispute].sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime())
  const after = { ...sale, disputes }
  return write(ports, after, {
    before: sale.transaction,
    after: sale.transaction,
    dispute,
    event: owedEvent(ports, after, 'update', 'dispute', 'nothing', { dispute }),
  })
}
