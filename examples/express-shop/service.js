// What the shop asks of the payment service: an offer to sell by, endpoints to be told at, and how a transaction stands.

import { NotFoundError, Tillbell } from '@tillbell/sdk'
import { keepOffer, knownOffer, release, waitingSince } from './stock.js'

const { TILLBELL_URL, TILLBELL_API_KEY, TILLBELL_API_SECRET } = process.env
const tillbell = new Tillbell({ baseUrl: TILLBELL_URL, apiKey: TILLBELL_API_KEY, apiSecret: TILLBELL_API_SECRET })

/** What is sold here. Every hook brings its `ref_id` along: by that the shop knows its own sales. */
export const bell = { title: 'Brass bell', amount: '19.99', ref_id: 'brass-bell', address: 'shipping' }

/** Made once, and kept: customers may have its address. */
export async function ourOffer() {
  const known = knownOffer()
  if (known !== undefined) return known
  const made = await tillbell.offers.create(bell)
  keepOffer({ id: made.offer_id, url: made.pcp_url })
  return knownOffer()
}

/** Once they are there, a start adds none. */
export async function ensureEndpoints(shopUrl, kinds) {
  const known = await Array.fromAsync(tillbell.hookEndpoints.list(), ({ url }) => url)
  for (const kind of kinds) {
    const url = `${shopUrl}/hooks/${kind}`
    if (!known.includes(url)) await tillbell.hookEndpoints.create({ kind, url })
  }
}

/**
 * A reservation that has not heard of its transaction for that long is not given away by the clock alone: the customer may be
 * at the bank, and the hook may only be late. The service knows. What is paid is left for the hook, which brings it.
 */
export async function expireReservations(afterMs) {
  for (const { id } of waitingSince(Date.now() - afterMs)) {
    const status = await statusOf(id)
    if (['Failed', 'Voided', 'unknown'].includes(status)) release(id)
  }
}

async function statusOf(id) {
  try {
    return (await tillbell.transactions.get(id)).status
  } catch (error) {
    if (error instanceof NotFoundError) return 'unknown'
    throw error
  }
}
