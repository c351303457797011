// A shop that sells one thing, and never more of it than there is.

import { hookHandler } from '@tillbell/sdk/express'
import express from 'express'
import { bell, ensureEndpoints, expireReservations, ourOffer } from './service.js'
import { left, release, reserve, sell } from './stock.js'

const { PORT = '3000', SHOP_HOLD_S = '900', TILLBELL_PRIVATE_KEY } = process.env

/** Hooks come for all that this merchant sells. What is not our offer, or a test from the dashboard, moves no goods. */
const isOurs = ({ details, isTest }) => !isTest && details.token.user_data.ref_id === bell.ref_id

/** What is done with each kind of hook. The handler has verified them. */
const on = {
  // Before the card is charged.
  pre_sale: hook => !isOurs(hook) || reserve(hook.details) || { stop: 'Sold out' },
  // The card was charged. An authorisation comes here too, but the money comes with its capture.
  transaction(hook) {
    const { details } = hook
    if (!isOurs(hook)) return console.log(`not sold here: ${details.user_data.item_name}`)
    if (!details.capture || !sell(details)) return
    console.log(`ship ${details.quantity} × ${bell.title} to ${details.email}`)
  },
  // The card was not charged.
  error: ({ details }) => release(details.transaction),
}

const app = express()
// Several keys with blanks between them, while one replaces the other.
app.all('/hooks/:kind', hookHandler({ privateKey: TILLBELL_PRIVATE_KEY?.split(' '), on }))
app.get('/', async (_request, response) => {
  const units = Math.max(left(), 0)
  const { url } = await ourOffer()
  response.send(`<!doctype html>
<html lang="en">
<title>Brass bells</title>
<h1>${bell.title}</h1>
<p>$${bell.amount}, ${units} left</p>
${units > 0 ? `<p><a href="${url}">Buy one</a></p>` : '<p>Sold out</p>'}
</html>`)
})

const server = app.listen(Number(PORT), '127.0.0.1', async () => {
  const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${server.address().port}`
  await ourOffer()
  await ensureEndpoints(shopUrl, Object.keys(on))
  console.log(`the shop is open: ${shopUrl}`)
})

const holdMs = Number(SHOP_HOLD_S) * 1_000
setInterval(() => expireReservations(holdMs).catch(console.error), Math.min(holdMs, 60_000))
