// tillbell private-key list | create | make-current | delete

import { noNextKeySays } from '../core/private-key.ts'
import { isoTime } from '../core/sale.ts'
import { deletePrivateKey } from '../delete-private-key.ts'
import { noteAtCommandLine } from '../join-console-notes.ts'
import { newKeyPair } from '../keys/key-pair.ts'
import { belongsTo } from '../setup/merchant.ts'
import { insertNextKey, type KeyState, listKeys, makeKeyCurrent } from '../store/merchant-keys.ts'
import { type Call, type Command, FailedError, jsonOption, merchantOption, NotFoundError } from './command.ts'
import { knownMerchant, withFoundation } from './key.ts'
import { asTable } from './table.ts'

const stateSays: { readonly [state in KeyState]: string } = {
  next: 'It signs nothing yet.',
  current: 'It signs every hook.',
  former: 'It signed before, and can be made current again.',
  deleted: 'Its private half is destroyed.',
}

export const privateKeyList: Command = {
  positionals: [],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell private-key list --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const keys = await listKeys(foundation.sql, await knownMerchant(call, foundation))
      const rows = keys.map(({ id, state, publicKey, compromised, createdAt }) => {
        return { key: id, state, public_key: publicKey, compromised, created_at: isoTime(createdAt) }
      })
      if (call.options.json === true) return call.print(JSON.stringify(rows))
      const cells = rows.map(({ key, state, compromised, created_at }) => {
        return [key, created_at, state, stateSays[state] + (compromised ? ' It was compromised.' : '')]
      })
      call.print(asTable(['KEY', 'CREATED', 'STATE', ''], cells))
    }),
}

export const privateKeyCreate: Command = {
  positionals: [],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell private-key create --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql, sealer, clock, newUuid } = foundation
      const merchant = await knownMerchant(call, foundation)
      const { publicKey, privateKey } = newKeyPair()
      const key = { id: newUuid(), publicKey, createdAt: clock.now() }
      const privateKeySealed = sealer.seal(privateKey, belongsTo.privateKey(merchant))
      const why = await sql.begin(scope => insertNextKey(scope, merchant, { ...key, privateKeySealed }))
      if (why !== null) throw new FailedError(noNextKeySays[why])
      await noteAtCommandLine(foundation, merchant, { action: 'private_key_created', about: key.id })
      const shown = { merchant, key: key.id, state: 'next', public_key: publicKey, private_key: privateKey }
      const meaning = 'Let your application accept this Private Key beside the current one, then make it current.'
      const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`)
      call.print(call.options.json === true ? JSON.stringify(shown) : [...lines, meaning].join('\n'))
    }),
}

export const privateKeyMakeCurrent: Command = {
  positionals: ['KEY'],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell private-key make-current KEY --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const merchant = await knownMerchant(call, foundation)
      const id = keyIn(call)
      const made = await foundation.sql.begin(scope => makeKeyCurrent(scope, merchant, id))
      if (made === 'not known') throw noSuchKey()
      if (made === 'deleted') throw new FailedError('That key was deleted: its private half is destroyed.')
      await noteAtCommandLine(foundation, merchant, { action: 'private_key_made_current', about: id })
      const meaning = `${id} is current: it signs every hook from now on, also those that are sent again.`
      call.print(call.options.json === true ? JSON.stringify({ merchant, key: id, state: 'current' }) : meaning)
    }),
}

export const privateKeyDelete: Command = {
  positionals: ['KEY'],
  options: {
    merchant: merchantOption,
    compromised: {
      type: 'flag',
      says: 'Others may know it: its tokens are revoked, and offers that were registered from them end.',
    },
    json: jsonOption,
  },
  examples: ['tillbell private-key delete KEY --merchant m_… --compromised'],
  run: call =>
    withFoundation(call, async foundation => {
      const merchant = await knownMerchant(call, foundation)
      const id = keyIn(call)
      const isMarked = call.options.compromised === true
      const deleted = await deletePrivateKey(foundation, merchant, id, isMarked)
      if (deleted === 'not known') throw noSuchKey()
      if (deleted === 'current') throw new FailedError('That key is current: make another one current first.')
      await noteAtCommandLine(foundation, merchant, { action: 'private_key_deleted', about: id })
      // It may have been marked before: a key that was compromised once stays so.
      const compromised = (await listKeys(foundation.sql, merchant)).some(key => key.id === id && key.compromised)
      const tokens = compromised ? 'Its public half opens no tokens any more.' : 'Its public half still opens tokens.'
      const ended = `Of what was made with it, tokens that were revoked: ${deleted.tokens}; offers that were deactivated: ${deleted.offers}.`
      const meaning = `${id} is deleted: its private half is destroyed. ${tokens}${isMarked ? ` ${ended}` : ''}`
      const revoked = { revoked_tokens: deleted.tokens, deactivated_offers: deleted.offers }
      const shown = { merchant, key: id, state: 'deleted', compromised, ...revoked }
      call.print(call.options.json === true ? JSON.stringify(shown) : meaning)
    }),
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function keyIn(call: Call): string {
  const id = (call.positionals[0] ?? '').toLowerCase()
  if (!uuidPattern.test(id)) throw noSuchKey()
  return id
}

function noSuchKey(): NotFoundError {
  return new NotFoundError('That merchant has no such key.')
}
