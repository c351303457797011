import { codeOf, textOf } from './failure.ts'
import { openSession } from './session.ts'

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not yet'; readonly text: string } // alive: it says itself that it starts, recovers or stops
  | { readonly kind: 'silent'; readonly text: string }

// cannot_connect_now, and too_many_connections, whose server is busy rather than absent.
const signsOfLife = new Set(['57P03', '53300'])

/** Asks PostgreSQL whether it takes statements. */
export async function probe(socketFolder: string): Promise<Answer> {
  if (socketFolder === '') return { kind: 'silent', text: 'it does not listen yet' }
  const session = openSession(socketFolder, 'tillbell probe')
  try {
    await session.sql`select 1`
    return { kind: 'ready' }
  } catch (error) {
    return { kind: signsOfLife.has(codeOf(error) ?? '') ? 'not yet' : 'silent', text: textOf(error) }
  } finally {
    await session.end()
  }
}
