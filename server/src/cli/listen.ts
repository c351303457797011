// tillbell listen --forward-to 3000

import { hostname } from 'node:os'
import { hookKinds } from '../core/hook-endpoint.ts'
import { backfillMaxS, listenerName, listenerNameMax } from '../core/hook-listener.ts'
import { type Call, type Command, exitCodes, jsonOption, textOption, UsageError } from './command.ts'
import { durationMs } from './duration.ts'
import { forward } from './listen-forward.ts'
import { clockOf, hookJson, hookLine, startLines } from './listen-lines.ts'
import { runSession, type Session } from './listen-session.ts'
import { remoteFrom, remoteOptions } from './remote.ts'
import { whenToldToStop } from './told-to-stop.ts'
import { whenUnread } from './unread.ts'

export const listen: Command = {
  positionals: [],
  options: {
    'forward-to': {
      type: 'url',
      says: 'Where your app takes hooks; {kind} in it stands for the kind. A port alone is http://localhost:PORT/hooks/{kind}.',
      required: true,
    },
    kinds: { type: 'kinds', says: `Of ${hookKinds.join(', ')}, comma separated; all but generic by default.` },
    backfill: { type: 'duration', says: 'First what happened in the last 30s, 1h or so, at most a day.' },
    ...remoteOptions,
    json: { ...jsonOption, says: 'Print a line of JSON for each thing that happens.' },
  },
  notes: [
    'Nothing on this machine is opened to the outside: hooks come back over the connection that this command makes.',
    'They are signed with the Private Key of the merchant, and tried again as any other.',
  ],
  examples: [
    'tillbell listen --forward-to 3000',
    "tillbell listen --forward-to 'http://localhost:3000/hooks/{kind}' --kinds transaction,error --backfill 1h",
  ],
  async run(call) {
    const forwardTo = targetOption(call)
    const wanted = { name: nameFor(forwardTo), kinds: kindsOption(call), backfillS: backfillOption(call) }
    const remote = await remoteFrom(call)
    const stopping = new AbortController()
    void whenToldToStop().then(() => stopping.abort())
    const asked = { forwardTo, baseUrl: remote.baseUrl }
    const tell = call.options.json === true ? tellInJson(call, asked) : tellInWords(call, asked)
    await runSession({
      remote,
      wanted,
      handle: ({ kind, headers, body }, timeoutMs) => forward(targetFor(forwardTo, kind), { headers, body, timeoutMs }),
      tell,
      stop: AbortSignal.any([stopping.signal, whenUnread]),
    })
    return exitCodes.done
  },
}

interface Asked {
  readonly forwardTo: string
  readonly baseUrl: string
}

function targetFor(forwardTo: string, kind: string): URL {
  return new URL(forwardTo.replaceAll('{kind}', kind))
}

/** A machine may have several apps that listen: by its port, everybody can tell which one did not answer. */
function nameFor(forwardTo: string): string {
  const { port, protocol } = targetFor(forwardTo, 'transaction')
  const end = `-${port || (protocol === 'https:' ? 443 : 80)}`
  return `${listenerName(hostname()).slice(0, listenerNameMax - end.length)}${end}`
}

function targetOption(call: Call): string {
  const given = textOption(call, 'forward-to')
  const whole = /^[0-9]{1,5}$/.test(given) ? `http://localhost:${given}/hooks/{kind}` : given
  const url = URL.canParse(whole) ? targetFor(whole, 'transaction') : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError('--forward-to must be a port, or a URL with http: or https: and without credentials.')
  return whole
}

function kindsOption(call: Call): readonly string[] | null {
  if (call.options.kinds === undefined) return null
  const kinds = textOption(call, 'kinds').split(',')
  if (kinds.some(kind => !hookKinds.some(known => known === kind)))
    throw new UsageError(`--kinds must be of ${hookKinds.join(', ')}, comma separated.`)
  return kinds
}

function backfillOption(call: Call): number {
  if (call.options.backfill === undefined) return 0
  const ms = durationMs(textOption(call, 'backfill'))
  if (ms === null || ms > backfillMaxS * 1_000)
    throw new UsageError('--backfill must be a number with s, m or h, such as 1h, of at most a day.')
  return Math.ceil(ms / 1_000)
}

const noPreSale = 'Pre-Sale is not forwarded: in live mode a developer’s machine does not decide about real money.'

function tellInWords({ print, options }: Call, asked: Asked): Session['tell'] {
  const isColoured = process.stdout.isTTY === true && !process.env.NO_COLOR
  const now = () => clockOf(new Date())
  return {
    started(listener) {
      for (const line of startLines(listener, asked)) print(line)
      if (listener.mode === 'live' && options.kinds === undefined) print(noPreSale)
    },
    lost: sentence => print(`${now()}  ${sentence} Trying again.`),
    back: () => print(`${now()}  Connected again.`),
    hook: (request, handled, untaken) =>
      print(hookLine({ at: new Date(), kind: request.kind, body: request.body, ...handled, untaken }, isColoured)),
    note: sentence => print(`${now()}  ${sentence}`),
  }
}

function tellInJson({ print }: Call, { forwardTo, baseUrl }: Asked): Session['tell'] {
  const say = (event: string, more: object) => print(JSON.stringify({ event, at: new Date().toISOString(), ...more }))
  return {
    started: listener => say('listening', { service: baseUrl, forward_to: forwardTo, ...listener }),
    lost: sentence => say('lost', { sentence }),
    back: () => say('back', {}),
    hook: (request, handled, untaken) =>
      print(hookJson({ at: new Date(), kind: request.kind, body: request.body, ...handled, untaken })),
    note: sentence => say('note', { sentence }),
  }
}
