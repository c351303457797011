// Mails that asked to pay, and those that answer them.

import type { Scene } from './checks.ts'

export async function mailFindings(scene: Scene): Promise<string[]> {
  return [...(await letterFindings(scene)), ...(await answerFindings(scene))]
}

/** Each by its own id: one that was taken came to one payment, and one that was not to one at the most. */
async function letterFindings({ sql, customers, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<{ messageId: string; state: string; because: string | null; paid: number }[]>`
    select message_id, state, closed_because as because, count(transaction_id)::int as paid from letter
    where merchant_id = ${merchantId} group by message_id, state, closed_because`
  const known = new Set(customers.letters.map(({ messageId }) => messageId))
  return [
    ...customers.letters.flatMap(({ messageId, isTaken }) => {
      const of = rows.filter(row => row.messageId === messageId)
      const paid = of.reduce((sum, row) => sum + row.paid, 0)
      const became = of.map(({ state, because }) => because ?? state).join(', ') || 'nothing'
      return paid > 1 || (isTaken && paid === 0) ? [`mail ${messageId} made ${paid} payments (${became})`] : []
    }),
    ...rows.filter(({ messageId }) => !known.has(messageId)).map(row => `nobody wrote mail ${row.messageId}`),
    ...rows.filter(({ state }) => state === 'waiting').map(row => `mail ${row.messageId} still waits`),
  ]
}

/** Whom we say to have mailed, the relay has mails for: at least as many, for one whose answer was lost goes out again. */
async function answerFindings({ sql, mailed, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<{ sender: string; state: string; count: number }[]>`
    select l.sender, m.state, count(*)::int from outgoing_mail m
      join letter l on l.merchant_id = m.merchant_id and l.id = m.letter_id
    where m.merchant_id = ${merchantId} group by l.sender, m.state`
  return rows.flatMap(({ sender, state, count }) => {
    if (state !== 'sent') return [`${count} mails to ${sender} are ${state}`]
    const came = mailed.filter(address => address === sender).length
    return came >= count ? [] : [`${count} mails to ${sender} were sent, and ${came} came`]
  })
}
