// Looks, and where there is nothing yet waits for what arrives, for as long as the client does.

import type { FastifyReply } from 'fastify'
import type { Waiter } from './arrivals.ts'

export const waitMaxMs = 20_000

export async function lookAndWait<Thing>(
  look: () => Promise<readonly Thing[]>,
  waiter: Waiter,
  reply: FastifyReply,
): Promise<readonly Thing[]> {
  reply.raw.once('close', waiter.leave)
  try {
    const things = await look()
    if (things.length > 0) return things
    await waiter.over
    return reply.raw.destroyed ? [] : await look()
  } finally {
    waiter.leave()
  }
}
