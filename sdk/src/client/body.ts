// What stands in an answer, read with suspicion: between the service and us may be proxies with pages of their own.

import type { Transaction } from './api-types.ts'

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The record that an answer about money has also when it failed; null: it has none. */
export function recordIn(text: string): Transaction | null {
  const body = parsed(text)
  return isObject(body) && isObject(body.transaction) ? (body.transaction as unknown as Transaction) : null
}

/** The sentences of a refusal, by field; null: it is not the service that speaks. */
export function errorsIn(text: string): { readonly [field: string]: string } | null {
  const body = parsed(text)
  if (!isObject(body) || !isObject(body.errors)) return null
  const sentences = Object.entries(body.errors).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(sentences)
}
