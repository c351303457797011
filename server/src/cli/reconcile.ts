// tillbell reconcile

import { knownBaseUrl } from '../base-url.ts'
import { readOffsetMs } from '../clock.ts'
import type { GatewayEntry } from '../core/gateway.ts'
import { parseGatewayId } from '../core/ids.ts'
import { type LookedAt, lookAgainAt } from '../core/look-again.ts'
import { type Reconciliation, reconcile, type Span } from '../core/reconcile.ts'
import type { Foundation } from '../foundation.ts'
import { openGateways } from '../join-core.ts'
import { noticePorts } from '../join-notices.ts'
import { findOwner } from '../store/directory.ts'
import { findGateway } from '../store/gateways.ts'
import { ourBooks } from '../store/reconciliation.ts'
import {
  type Call,
  type Command,
  exitCodes,
  FailedError,
  jsonOption,
  NotFoundError,
  textOption,
  UsageError,
} from './command.ts'
import { joinedFor } from './joined.ts'
import { withFoundation } from './key.ts'
import { asJson, asText, type ReconciledAccount } from './reconciliation.ts'

/** A year of a large account takes its time; a gateway that hangs must not hold the command for ever. */
const listTimeoutMs = 60 * 60_000

export const reconcileGateway: Command = {
  positionals: [],
  options: {
    gateway: {
      type: 'id',
      says: 'The gateway (gw_…).',
      required: true,
      from: 'The dashboard and GET gateways show them.',
    },
    from: {
      type: 'time',
      says: 'Since when: 2026-11-01, or 2026-11-01T10:00:00Z. A date is its midnight in UTC.',
      required: true,
    },
    to: { type: 'time', says: 'Until when; this moment itself is not part of it.', required: true },
    agree: {
      type: 'flag',
      says: 'Look at each payment that differs again, make our records agree with the gateway where that is safe, then compare anew.',
    },
    foreign: { type: 'flag', says: "Also show the account's payments that are none of ours." },
    json: jsonOption,
  },
  examples: ['tillbell reconcile --gateway gw_… --from 2026-11-01 --to 2026-11-08'],
  async run(call) {
    const span = { from: timeOption(call, 'from'), to: timeOption(call, 'to') }
    if (span.from >= span.to) throw new UsageError('--to must be later than --from.')
    let agrees = false
    const ended = await withFoundation(call, async foundation => {
      const account = await knownGateway(call, foundation)
      const first = await compare(foundation, account, span)
      const lookedAt = call.options.agree === true ? await lookAgain(call, foundation, account, first) : null
      const result = lookedAt === null ? first : await compare(foundation, account, span)
      const told = { ...account, span, result, lookedAt, clockMoved: await clockMatters(foundation, account) }
      call.print(
        call.options.json === true
          ? asJson(told, call.options.foreign === true)
          : asText(told, call.options.foreign === true),
      )
      agrees = result.differences.length === 0
    })
    return agrees ? ended : exitCodes.failed
  },
}

async function knownGateway(call: Call, { sql }: Foundation): Promise<ReconciledAccount> {
  const given = textOption(call, 'gateway')
  const id = parseGatewayId(given)
  const merchantId = id === null ? null : await findOwner(sql, 'gateway', id)
  const found = id === null || merchantId === null ? null : await findGateway(sql, merchantId, id)
  if (found === null) throw new NotFoundError(`There is no gateway ${given}.`)
  return found
}

async function lookAgain(
  call: Call,
  foundation: Foundation,
  { merchantId, id, type }: ReconciledAccount,
  { differences }: Reconciliation,
): Promise<LookedAt[]> {
  const joined = await joinedFor(call, foundation)
  const gateway = await joined.ports.openGateway(merchantId, id)
  try {
    if (gateway.notices === null) {
      throw new FailedError(
        `A gateway of type ${type} does not say all that became of a payment: --agree is not for it.`,
      )
    }
    const at = { merchantId, gatewayId: id }
    const looked = await lookAgainAt(noticePorts(foundation, joined), at, gateway, differences)
    await joined.wakeWorkers()
    return looked
  } finally {
    gateway.close()
  }
}

async function compare(
  foundation: Foundation,
  { merchantId, id }: ReconciledAccount,
  span: Span,
): Promise<Reconciliation> {
  const { sql, clock, config } = foundation
  const service = { mode: config.mode, baseUrl: await knownBaseUrl(foundation) }
  // A command listens on no port.
  const gateway = await openGateways(foundation, service, () => []).openGateway(merchantId, id)
  const list = listSayingWhy(gateway.list)
  try {
    const signal = AbortSignal.timeout(listTimeoutMs)
    return await reconcile(ourBooks(sql, merchantId, id), { ...gateway, list }, span, clock.now(), signal)
  } finally {
    gateway.close()
  }
}

/** A list that ends early proves nothing: without its end there is no result at all. */
function listSayingWhy(list: Parameters<typeof reconcile>[1]['list']): typeof list {
  return async function* (span, signal): AsyncIterable<GatewayEntry> {
    try {
      yield* list(span, signal)
    } catch (error) {
      throw new FailedError(`There is no result. ${(error as Error).message}`)
    }
  }
}

/** The sandbox dates its entries by our clock; everybody else by the world's. */
async function clockMatters({ sql }: Foundation, { type }: ReconciledAccount): Promise<boolean> {
  return type !== 'test' && (await readOffsetMs(sql)) !== 0
}

function timeOption(call: Call, name: string): Date {
  const text = textOption(call, name)
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)
  const time = new Date(isDay ? `${text}T00:00:00Z` : text)
  const day = text.slice(0, 10)
  // The 30th of February would be taken for the 2nd of March.
  const exists = (isDay || isTime) && !Number.isNaN(time.getTime()) && dayExists(day)
  if (!exists)
    throw new UsageError(`--${name} must be a day such as 2026-11-01, or a time such as 2026-11-01T10:00:00Z.`)
  return time
}

function dayExists(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
