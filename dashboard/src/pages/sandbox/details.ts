// A hook's details, to be read: whoever posts to the inbox may post anything.

export interface ReadDetails {
  readonly type: string | null
  /** Its id, where it is of one. */
  readonly transaction: string | null
  /** Indented where it is JSON. */
  readonly text: string
}

const noTransaction = '00000000-0000-0000-0000-000000000000'

export function readDetails(details: string): ReadDetails {
  let parsed: unknown
  try {
    parsed = JSON.parse(details)
  } catch {
    return { type: null, transaction: null, text: details }
  }
  const members = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as { readonly [name: string]: unknown }
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  const transaction = textOf(members.transaction)
  return {
    type: textOf(members.type),
    transaction: transaction === noTransaction ? null : transaction,
    text: JSON.stringify(parsed, null, 2),
  }
}
