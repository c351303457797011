// Every sealed value is sealed again with the first secret key, while the service runs. It can be killed at any point and run again:
// a value is replaced in one statement, by whoever finds it as it was read, and says by itself with which key it was sealed.

import type { Sealer } from './keys/sealing.ts'
import { sealedOwners } from './sealed-owners.ts'
import type { Database } from './store/database.ts'
import { type PlaceName, type SealedPlace, type SealedValue, sealedPlaces } from './store/sealed-values.ts'

type Counts = { readonly [place in PlaceName]: number }

export interface Unopened {
  readonly place: PlaceName
  /** The row's key. */
  readonly row: readonly string[]
}

export interface Sealed {
  /** How many each key opens, by its place in the sealer's `keyNames`. */
  readonly byKey: readonly Counts[]
  /** Those that no key opens. */
  readonly unopened: readonly Unopened[]
}

export interface Resealed {
  readonly again: Counts
  /** What the last look found: with the first key, and with those that it could not get rid of. */
  readonly found: Sealed
}

/** What a process seals with another key while this runs is found by the next look. One that goes on for ever is another's doing. */
const roundsMax = 5

export async function reseal(sql: Database, sealer: Sealer): Promise<Resealed> {
  const again = noneIn()
  for (let round = 1; ; round++) {
    let others = 0
    const found = await lookAtAll(sql, sealer, async (place, value, { text, by }) => {
      if (by === 0) return
      others += 1
      // The service's own key says that all the others are sealed anew: so not before they were all looked at and found so.
      if (isLast(place, value) && others > 1) return
      const anew = sealer.seal(text, sealedOwners[place.name as PlaceName](...value.row))
      if (await place.replace(sql, value, anew)) again[place.name as PlaceName] += 1
    })
    if (others === 0 || round === roundsMax) return { again, found }
  }
}

/** Reads alone. */
export function countSealed(sql: Database, sealer: Sealer): Promise<Sealed> {
  return lookAtAll(sql, sealer, async () => {})
}

function isLast({ name }: SealedPlace, { row }: SealedValue): boolean {
  return name === 'setting.value' && sealedOwners['setting.value'](...row) !== row[0]
}

type Visit = (place: SealedPlace, value: SealedValue, opened: { text: string; by: number }) => Promise<void>

async function lookAtAll(sql: Database, sealer: Sealer, visit: Visit): Promise<Sealed> {
  const byKey = sealer.keyNames.map(noneIn)
  const unopened: Unopened[] = []
  for (const [name, place] of Object.entries(sealedPlaces) as [PlaceName, SealedPlace][]) {
    const lookAt = async (value: SealedValue) => {
      const opened = sealer.openedBy(value.sealed, sealedOwners[name](...value.row))
      const counts = opened === null ? undefined : byKey[opened.by]
      if (opened === null || counts === undefined) return void unopened.push({ place: name, row: value.row })
      counts[name] += 1
      await visit(place, value, opened)
    }
    for await (const few of valuesOf(sql, place)) await Promise.all(few.map(lookAt))
  }
  return { byKey, unopened }
}

/** So many are sealed at the same time: their commits are made together. */
const atOnce = 8

async function* valuesOf(sql: Database, place: SealedPlace): AsyncGenerator<readonly SealedValue[]> {
  let after: readonly string[] | null = null
  do {
    const { values, last } = await place.read(sql, after)
    for (let index = 0; index < values.length; index += atOnce) yield values.slice(index, index + atOnce)
    after = last
  } while (after !== null)
}

function noneIn(): { [place in PlaceName]: number } {
  return Object.fromEntries(Object.keys(sealedPlaces).map(name => [name, 0])) as { [place in PlaceName]: number }
}
