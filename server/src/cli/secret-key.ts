// tillbell secret-key status | reseal

import type { Foundation } from '../foundation.ts'
import { countSealed, reseal, type Sealed, type Unopened } from '../reseal.ts'
import { connectionName, type KeyUser, listKeyUsers } from '../store/key-users.ts'
import { setSealingKey } from '../store/settings.ts'
import { type Command, exitCodes, FailedError, jsonOption } from './command.ts'
import { withFoundation } from './key.ts'
import { asTable } from './table.ts'

const shownMax = 20

export const secretKeyStatus: Command = {
  positionals: [],
  options: { json: jsonOption },
  notes: [
    'Keys are shown by a name of eight letters, made from the key. It reads every sealed value, and changes none.',
  ],
  examples: ['tillbell secret-key status'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql, sealer } = foundation
      const sealed = await countSealed(sql, sealer)
      const users = await otherUsers(foundation)
      if (call.options.json === true) {
        const keys = sealer.keyNames.map((key, index) => ({ key, seals: index === 0, values: sealed.byKey[index] }))
        return call.print(JSON.stringify({ keys, unopened: shown(sealed.unopened), processes: users.map(asJson) }))
      }
      const keys = sealer.keyNames.map((key, index) => [
        key,
        index === 0 ? 'seals and opens' : 'opens',
        `${total(sealed, index)}`,
      ])
      call.print(asTable(['KEY', 'DOES', 'VALUES SEALED WITH IT'], keys))
      call.print(
        asTable(
          ['PROCESS', 'AT', 'KEYS'],
          users.map(({ pid, address, keyNames }) => [`${pid}`, address ?? 'here', keyNames.join(', ') || 'not said']),
        ),
      )
      for (const line of unopenedLines(sealed)) call.print(line)
    }),
}

export const secretKeyReseal: Command = {
  positionals: [],
  options: { json: jsonOption },
  notes: [
    'Every process must have the new key in front of TILLBELL_SECRET_KEY, and the old one behind it, before this is run.',
    'It can be ended at any moment and run again. It ends with 1 while something is left that the new key does not open.',
  ],
  examples: ['tillbell secret-key reseal'],
  async run(call) {
    let isDone = false
    const ended = await withFoundation(call, async foundation => {
      const { sql, sealer } = foundation
      await refuseOtherSealers(foundation)
      const { again, found } = await reseal(sql, sealer)
      await refuseOtherSealers(foundation)
      const left = sealer.keyNames.slice(1).map((key, index) => ({ key, values: total(found, index + 1) }))
      isDone = found.unopened.length === 0 && left.every(({ values }) => values === 0)
      const [key = '', ...others] = sealer.keyNames
      if (isDone) await setSealingKey(sql, key)
      if (call.options.json === true) {
        return call.print(JSON.stringify({ key, sealed_again: again, left, unopened: shown(found.unopened) }))
      }
      for (const [place, count] of Object.entries(again)) if (count > 0) call.print(`${place}: ${count} sealed again`)
      for (const line of unopenedLines(found)) call.print(line)
      for (const { key, values } of left) if (values > 0) call.print(`${values} were sealed with ${key} meanwhile.`)
      call.print(`${total(found, 0)} values are sealed with ${key}.${isDone && others.length > 0 ? goes(others) : ''}`)
    })
    return isDone ? ended : exitCodes.failed
  },
}

function goes(names: readonly string[]): string {
  return ` None is with ${names.join(' or ')}: take ${names.length === 1 ? 'it' : 'them'} out of TILLBELL_SECRET_KEY, and restart every process.`
}

/** Who does not know the new key could not read what is sealed with it; who seals with the old one would go on doing so. */
async function refuseOtherSealers(foundation: Foundation): Promise<void> {
  const [key] = foundation.sealer.keyNames
  const users = await listKeyUsers(foundation.sql)
  if (!users.some(isThisOne(foundation)))
    throw new FailedError(
      'The database does not show who is connected to it under which name (a pooler may rename connections): it cannot be seen with which keys other processes run. Run this with a DATABASE_URL that leads to PostgreSQL itself.',
    )
  const [other] = users.filter(({ keyNames }) => keyNames[0] !== key)
  if (other === undefined) return
  const does = other.keyNames.length === 0 ? 'is of a version that has one key' : `seals with ${other.keyNames[0]}`
  throw new FailedError(
    `Process ${other.pid}${other.address === null ? '' : ` at ${other.address}`} ${does}, and this one with ${key}. Restart every process with the new key in front of TILLBELL_SECRET_KEY first, then run this again: what was sealed again so far stays so.`,
  )
}

/** In containers many processes have one number: who has this one's and other keys is another. */
async function otherUsers(foundation: Foundation): Promise<KeyUser[]> {
  const isOwn = isThisOne(foundation)
  return (await listKeyUsers(foundation.sql)).filter(user => !isOwn(user))
}

function isThisOne({ sealer }: Foundation): (user: KeyUser) => boolean {
  const own = connectionName(process.pid, sealer.keyNames)
  return ({ pid, keyNames }) => connectionName(pid, keyNames) === own
}

function total({ byKey }: Sealed, index: number): number {
  return Object.values(byKey[index] ?? {}).reduce((sum, count) => sum + count, 0)
}

/** Which it is, and never what is in it. */
function shown(unopened: readonly Unopened[]) {
  return unopened.map(({ place, row }) => ({ place, row: row.join(' ') }))
}

function unopenedLines({ unopened }: Sealed): string[] {
  const lines = shown(unopened.slice(0, shownMax)).map(
    ({ place, row }) => `${place} of ${row} opens with none of the keys.`,
  )
  const more = unopened.length - lines.length
  return more > 0 ? [...lines, `… and ${more} more.`] : lines
}

function asJson({ pid, address, keyNames }: KeyUser) {
  return { pid, address, keys: keyNames }
}
