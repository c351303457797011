// The one error of tokens takes the same time, whatever its cause: nobody learns from the clock whether a token ever opened.
// The causes take turns, so that what the machine does meanwhile falls on all of them alike.

import { createToken, sealToken } from '@tillbell/sdk/token'
import { readConfig } from '../server/src/config.ts'
import { openFoundation } from '../server/src/foundation.ts'
import { tokens } from '../server/src/join-tokens.ts'
import { newKeyPair } from '../server/src/keys/key-pair.ts'
import { openLog } from '../server/src/observe/log.ts'
import { createMerchant, type MerchantSetup } from '../server/src/setup/merchant.ts'
import { openBenchDatabase } from './database.ts'
import { quantile, type Result } from './result.ts'

const rounds = 600
const warmUpRounds = 200
/** A row that is found costs the database a little more than one that is not; the keys that are tried cost the most. */
const apartMax = 1.1

type Texts = { readonly [cause: string]: string }
type Opener = ReturnType<typeof tokens>

export async function tokenErrors(): Promise<Result> {
  const database = await openBenchDatabase()
  const config = readConfig({ DATABASE_URL: database.url, TILLBELL_DATA: database.folder })
  const foundation = await openFoundation(config, 'guest', openLog('error'))
  try {
    const { sql, sealer, clock, newUuid } = foundation
    const world = { sql, sealer, mode: config.mode, now: clock.now, newUuid }
    const merchant = await createMerchant(world, { name: 'Bench', email: 'bench@example.com' })
    const opener = tokens(foundation)
    const texts = madeTexts(merchant, foundation.servicePublicKey)
    for (const cause of ['revoked', 'used']) await opener.open(texts[cause] ?? '')
    await opener.revoke(merchant.merchant, texts.revoked ?? '')
    // As a payment of the one unit leaves it.
    await sql`update offer set stock_left = 0 where active`
    await timed(opener, texts, warmUpRounds)
    return result(await timed(opener, texts, rounds))
  } finally {
    await foundation.close()
    await database.close()
  }
}

/** All of one length, so that nothing but their cause tells them apart. */
function madeTexts({ private_key, partner_id }: MerchantSetup, servicePublicKey: string): Texts {
  const whole = { privateKey: private_key, servicePublicKey, partnerId: partner_id, amount: '20.55' }
  // As createToken writes it, which makes none that has expired.
  const userData = { authorization_only: false }
  const contents = {
    target: { email: 'ada@example.com' },
    group: '',
    amount: 20.55,
    authorizationOnly: false,
    userData,
  }
  const make = (more = {}) => createToken({ ...whole, target: { email: 'ada@example.com' }, ...more })
  return {
    wrong: make({ privateKey: newKeyPair().privateKey }),
    expired: sealToken({ ...contents, expiresS: 1_577_836_800 }, whole),
    revoked: make(),
    used: make(),
    'unknown partner': make({ partnerId: 999_999 }),
  }
}

async function timed(opener: Opener, texts: Texts, times: number): Promise<Map<string, number[]>> {
  const tookMs = new Map<string, number[]>(Object.keys(texts).map(cause => [cause, []]))
  const causes = Object.entries(texts)
  for (let round = 0; round < times; round++) {
    // Another begins each time: who comes after whom could matter, too.
    const first = round % causes.length
    const turned = [...causes.slice(first), ...causes.slice(0, first)]
    for (const [cause, text] of turned) {
      const beganMs = performance.now()
      const opened = await opener.open(text)
      tookMs.get(cause)?.push(performance.now() - beganMs)
      if (opened !== null) throw new Error(`a token opened that is ${cause}`)
    }
  }
  return tookMs
}

function result(tookMs: Map<string, number[]>): Result {
  const rows = [...tookMs].map(([cause, all]) => {
    return { cause, p25Ms: quantile(all, 0.25), p50Ms: quantile(all, 0.5), p75Ms: quantile(all, 0.75) }
  })
  const medians = rows.map(({ p50Ms }) => p50Ms)
  const apart = Math.max(...medians) / Math.min(...medians)
  return {
    name: 'tokens',
    title: 'The one error of tokens, by its cause',
    bars: rows.map(({ cause, p50Ms }) => ({ label: cause, value: p50Ms, unit: 'ms', kind: 'ours' })),
    settings: { rounds, warmUpRounds },
    rows,
    goals: [{ goal: `slowest median ≤ ${apartMax} × fastest`, value: apart, met: apart <= apartMax }],
  }
}
