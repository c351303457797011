// tillbell key create | revoke

import { type Config, ConfigError } from '../config.ts'
import type { MerchantId } from '../core/ids.ts'
import { type Foundation, openFoundation } from '../foundation.ts'
import { noteAtCommandLine } from '../join-console-notes.ts'
import { newApiKeyPair, secretHash } from '../keys/new-ids.ts'
import { findMerchant, insertApiKey, revokeApiKey } from '../store/merchants.ts'
import { hasEmbedded } from '../store/postgres/embedded.ts'
import { type Call, type Command, exitCodes, jsonOption, merchantOption, NotFoundError, textOption } from './command.ts'

export const keyCreate: Command = {
  positionals: [],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell key create --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql, clock } = foundation
      const id = await knownMerchant(call, foundation)
      const pair = newApiKeyPair()
      await sql.begin(scope =>
        insertApiKey(scope, id, { key: pair.key, secretSha256: secretHash(pair.secret) }, clock.now()),
      )
      await noteAtCommandLine(foundation, id, { action: 'api_key_created', about: pair.key })
      const shown = { merchant: id, api_key: pair.key, api_secret: pair.secret }
      call.print(
        call.options.json === true ? JSON.stringify(shown) : `api_key: ${pair.key}\napi_secret: ${pair.secret}`,
      )
    }),
}

export const keyRevoke: Command = {
  positionals: ['API_KEY'],
  options: { json: jsonOption },
  examples: ['tillbell key revoke pk_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql, clock } = foundation
      const key = call.positionals[0] ?? ''
      const merchant = await revokeApiKey(sql, key, clock.now())
      if (merchant === null) throw new NotFoundError('There is no such API key in force.')
      await noteAtCommandLine(foundation, merchant, { action: 'api_key_revoked', about: key })
      call.print(
        call.options.json === true ? JSON.stringify({ merchant, api_key: key, revoked: true }) : `Revoked ${key}.`,
      )
    }),
}

export async function knownMerchant(call: Call, { sql }: Foundation): Promise<MerchantId> {
  const id = textOption(call, 'merchant') as MerchantId
  if ((await findMerchant(sql, id)) === null) throw new NotFoundError(`There is no merchant ${id}.`)
  return id
}

/** For commands that look at what there is, or change it: only `serve`, `migrate` and `merchant create` may begin a database. */
export async function withFoundation(call: Call, work: (foundation: Foundation) => Promise<void>): Promise<number> {
  await refuseWithoutData(call.config)
  const foundation = await openFoundation(call.config, 'guest', call.log)
  try {
    await work(foundation)
    return exitCodes.done
  } finally {
    await foundation.close()
  }
}

/** In the wrong folder a command would make a new database, and report success on that one. */
export async function refuseWithoutData({ databaseUrl, dataFolder }: Config): Promise<void> {
  if (databaseUrl !== null || (await hasEmbedded(dataFolder))) return
  throw new ConfigError(
    `There is no data of a service in ${dataFolder}: go where the service was started, or set TILLBELL_DATA or DATABASE_URL as it has them. A service elsewhere is reached by tillbell listen and trigger alone, with --url.`,
  )
}
