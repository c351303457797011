// Statements that nobody waits for are run one after the other: all at once they would take every connection from payments.

/** How many rows they changed. */
export async function countOneByOne(statements: Iterable<PromiseLike<{ readonly count: number }>>): Promise<number> {
  let changed = 0
  for (const statement of statements) changed += (await statement).count
  return changed
}
