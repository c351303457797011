// Statements that nobody waits for are run one after the other: all at once they would take every connection from payments.

/** How many rows they changed. One that fails keeps none behind it from being run, and fails the whole in the end. */
export async function countOneByOne(statements: Iterable<PromiseLike<{ readonly count: number }>>): Promise<number> {
  let changed = 0
  const errors: unknown[] = []
  for (const statement of statements) {
    try {
      changed += (await statement).count
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return changed
}
