// Idempotency keys as documented for API v1: the answer of the first request is kept under its key once its execution
// began, whatever it was; a twin meanwhile is turned away, and so is another request under the same key. What never
// began (a bad parameter, wrong credentials, a conflict, a limit) leaves the key free.

import { failure, type Reply } from './reply.ts'

interface Kept {
  readonly endpoint: string
  readonly parameters: string
  /** Null: still running. */
  answer: { readonly status: number; readonly text: string } | null
}

export interface Beginning {
  readonly key: string | null
  /** Method and path. */
  readonly endpoint: string
  readonly parameters: string
}

export type Begun =
  | { readonly kind: 'first'; readonly keep: (status: number, text: string) => void; readonly leave: () => void }
  | { readonly kind: 'replay'; readonly status: number; readonly text: string }
  | { readonly kind: 'refused'; readonly reply: Reply }

export class IdempotencyKeys {
  readonly #kept = new Map<string, Kept>()

  begin({ key, endpoint, parameters }: Beginning): Begun {
    if (key === null) return { kind: 'first', keep: () => {}, leave: () => {} }
    const known = this.#kept.get(key)
    if (known === undefined) {
      const kept: Kept = { endpoint, parameters, answer: null }
      this.#kept.set(key, kept)
      return {
        kind: 'first',
        keep: (status, text) => {
          kept.answer = { status, text }
        },
        leave: () => this.#kept.delete(key),
      }
    }
    if (known.endpoint !== endpoint || known.parameters !== parameters) return { kind: 'refused', reply: misused }
    return known.answer === null ? { kind: 'refused', reply: inUse } : { kind: 'replay', ...known.answer }
  }

  /** A day later. */
  forget(): void {
    for (const [key, { answer }] of this.#kept) if (answer !== null) this.#kept.delete(key)
  }
}

const misused = failure(400, {
  type: 'idempotency_error',
  message: 'This idempotency key was first used with another endpoint or with other parameters.',
})

const inUse = failure(409, {
  type: 'invalid_request_error',
  code: 'idempotency_key_in_use',
  message: 'Another request with this idempotency key is in progress.',
})
