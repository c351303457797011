// The one place that turns `details` into the text that is stored and posted. Its size is bounded: what merchants and
// customers may write is bounded in bytes where it comes in (the table below), so that it fits. Where it does not fit all
// the same, for instance for an offer that was made under an older limit, texts are cut. Nothing here refuses: a
// notification must never keep an outcome from being committed.
//
//   what `details` repeat                       bytes of JSON, at most
//   the offer, twice                            2 * offerDetailsBytesMax (offer.ts)         38,912
//   answers to custom fields                    answersBytesMax (people.ts)                  6,144
//   name, email, two addresses                  4 bytes a character (REST), 3 a unit (page)  5,600
//   referrer_context                            255 characters                               1,020
//   notes and user of a refund                  2,500 and 255 characters                    11,020
//     or the link in mail_to of FAR, or the reason of a dispute, which are shorter
//   names of members, ids, amounts, sentences                                                2,600

import type { HookDetails } from '@tillbell/sdk'

export const detailsBytesMax = 65_536

const encoder = new TextEncoder()

/** As JSON writes it, without the quotes. */
export function jsonBytes(text: string): number {
  return encoder.encode(JSON.stringify(text)).length - 2
}

export interface SerialisedDetails {
  readonly text: string
  /** All that may be cut was cut, and it is still too large. It is stored as it is. */
  readonly isTooLarge: boolean
}

/** `answered`: the custom fields that the customer answered. All else in `custom_data` is the merchant's, and never cut. */
export function serialiseDetails(details: HookDetails, answered: readonly string[]): SerialisedDetails {
  let current = details
  let text = JSON.stringify(current)
  for (const cut of cutsFor(details, answered)) {
    const excess = excessBytes(text)
    if (excess <= 0) break
    current = cut(current, excess)
    text = JSON.stringify(current)
  }
  return { text, isTooLarge: excessBytes(text) > 0 }
}

/** No UTF-16 unit takes more than three bytes: most texts need not be measured. */
function excessBytes(text: string): number {
  return text.length * 3 <= detailsBytesMax ? 0 : encoder.encode(text).length - detailsBytesMax
}

type Cut = (details: HookDetails, excess: number) => HookDetails

/** In this order, the longest answer first. Identifiers, URLs, tokens and the merchant's own data are not among them. */
function cutsFor({ user_data: { custom_data: data } }: HookDetails, answered: readonly string[]): Cut[] {
  const lengthOf = (name: string) => String(data[name]).length
  const longestFirst = answered.filter(name => typeof data[name] === 'string')
  longestFirst.sort((one, other) => lengthOf(other) - lengthOf(one))
  return [cutItemDetails, cutNotes, ...longestFirst.map(cutAnswer)]
}

/** It stands in four places, which stay equal. */
const itemDetailsPlaces = 4

function cutItemDetails(details: HookDetails, excess: number): HookDetails {
  const { token, user_data } = details
  const named = withNameOf(details, 'item_details')
  const toGo = Math.ceil((excess + addedBytes(details, named)) / itemDetailsPlaces)
  const item_details = shortened(user_data.item_details, toGo)
  if (item_details === user_data.item_details) return details
  const texts = { item_details, details: user_data.details === null ? null : item_details }
  return {
    ...named,
    token: { ...token, user_data: { ...token.user_data, ...texts } },
    user_data: { ...user_data, ...texts },
  }
}

function cutNotes(details: HookDetails, excess: number): HookDetails {
  const refund = 'refund' in details ? details.refund : undefined
  const notes = refund?.refunded_reason ?? ''
  if (refund === undefined || notes === '') return details
  const named = withNameOf(details, 'refunded_reason')
  const refunded_reason = shortened(notes, excess + addedBytes(details, named))
  return { ...named, refund: { ...refund, refunded_reason } } as HookDetails
}

function cutAnswer(name: string): Cut {
  return (details, excess) => {
    const { user_data } = details
    const named = withNameOf(details, `custom_data.${name}`)
    const answer = shortened(String(user_data.custom_data[name]), excess + addedBytes(details, named))
    return { ...named, user_data: { ...user_data, custom_data: { ...user_data.custom_data, [name]: answer } } }
  }
}

/** The receiver is told which texts are not whole. */
function withNameOf(details: HookDetails, name: string): HookDetails {
  return { ...details, truncated: [...(details.truncated ?? []), name] }
}

function addedBytes(before: HookDetails, after: HookDetails): number {
  const bytesOf = ({ truncated }: HookDetails) => (truncated === undefined ? 0 : jsonBytesOf({ truncated }))
  return bytesOf(after) - bytesOf(before)
}

function jsonBytesOf(value: object): number {
  return encoder.encode(JSON.stringify(value)).length
}

/** Without so many bytes at its end, or without all of it: cut between two code points. */
function shortened(text: string, bytesToGo: number): string {
  const codePoints = [...text]
  let left = bytesToGo
  while (left > 0 && codePoints.length > 0) left -= jsonBytes(codePoints.pop() ?? '')
  return codePoints.join('')
}
