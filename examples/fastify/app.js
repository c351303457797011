// POST /hooks/KIND, with a callback for each kind of hook. The plugin reads the body, verifies it, and answers.

import { hookPlugin } from '@tillbell/sdk/fastify'
import Fastify from 'fastify'
import { keepOrder } from './orders.js'

const mostAtOnce = 5

export function shop(privateKeys) {
  const app = Fastify()
  app.register(
    hookPlugin({
      path: '/hooks/:kind',
      // Several with blanks between them, while one replaces the other.
      privateKey: privateKeys?.split(' '),
      on: {
        // Asked once before the card is charged: a stop is answered with 409, and there is no charge.
        pre_sale: ({ details }) => details.quantity <= mostAtOnce || { stop: `At most ${mostAtOnce} at once` },
        // An authorisation comes here too, but the money comes with its capture. For a test nothing is shipped.
        transaction(hook) {
          if (hook.details.capture && !hook.isTest) keepOrder(hook)
        },
        far: ({ details }) => console.log(`${details.email} must do something: ${details.error}`),
        error: ({ details }) => console.log(`${details.transaction} failed: ${details.error}`),
      },
    }),
  )
  return app
}
