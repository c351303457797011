// Of those who take turns, one that takes long keeps no place from the next: a connection that is silent, a row that is locked.

const slowAfterMs = 200

/** Waits until it is over, but no longer than a moment; it goes on beside whatever follows. */
export async function overOrSlow(work: Promise<void>): Promise<void> {
  const slow = Promise.withResolvers<void>()
  const timer = setTimeout(slow.resolve, slowAfterMs)
  await Promise.race([work, slow.promise])
  clearTimeout(timer)
}
