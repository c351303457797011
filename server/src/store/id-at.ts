// Ids begin with their time, so a range of time is a range of an index by id.

import { randomUUID } from 'node:crypto'

const dayMs = 86_400_000

/** Where in such an index a time is, give or take days for clocks that were set. */
export function idAt(time: Date, days: number): string {
  const hex = Math.max(0, time.getTime() + days * dayMs)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

/** When it was made, in ms. */
export function momentOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** Another of the same moment, as the database's function of that name makes them. */
export function idOfTheMomentOf(id: string): string {
  return `${id.slice(0, 14)}7${randomUUID().slice(15)}`
}
