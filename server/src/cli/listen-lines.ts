// What `tillbell listen` says: plain lines, one for each hook, so that a terminal and a log can both show them.

import type { Forwarded } from './listen-forward.ts'
import type { Said, Untaken } from './listen-session.ts'

export interface ForwardedHook extends Forwarded {
  readonly at: Date
  readonly kind: string
  /** As it was posted. */
  readonly body: string
  /** Null: the answer counts. */
  readonly untaken: Untaken | null
}

export function startLines(
  { merchant, mode, name, kinds, backfilled }: Said,
  { baseUrl, forwardTo }: { readonly baseUrl: string; readonly forwardTo: string },
): string[] {
  const wants = kinds as readonly string[]
  return [
    `Listening for hooks of ${merchant} at ${baseUrl} (${mode}), as listen://${name}.`,
    `Forwarding ${wants.join(', ')} to ${forwardTo}`,
    ...(wants.length > 1 && !forwardTo.includes('{kind}')
      ? ['All kinds go to one path; {kind} in the URL would tell them apart.']
      : []),
    ...(wants.includes('pre_sale')
      ? ['Your app answers Pre-Sale: 2xx lets a sale go on, anything else stops it.']
      : []),
    ...(backfilled > 0 ? [`First come ${backfilled} from before, the oldest first, several at once.`] : []),
    'Ctrl-C stops it.',
    '',
  ]
}

const red = 31
const green = 32
const yellow = 33

export function hookLine(hook: ForwardedHook, isColoured: boolean): string {
  const { at, kind, status, reason, durationMs } = hook
  const { amount, transaction } = toldIn(hook.body)
  const [colour, hint] = meaningOf(hook)
  const paint = (text: string) => (isColoured ? `\x1b[${colour}m${text}\x1b[0m` : text)
  const came = status === null ? paint(reason ?? 'No answer.') : `${paint(String(status))} in ${durationMs} ms`
  const end = hint === null ? '' : `  ${hint}`
  return `${clockOf(at)}  ${kind.padEnd(11)}  ${amount.padStart(9)}  ${transaction}  → ${came}${end}`
}

/** As one line of JSON. */
export function hookJson(hook: ForwardedHook): string {
  const { at, kind, status, reason, durationMs, untaken } = hook
  const told = toldIn(hook.body)
  return JSON.stringify({
    event: 'hook',
    at: at.toISOString(),
    kind,
    ...told,
    status,
    duration_ms: durationMs,
    reason,
    late: untaken === 'late',
    hint: meaningOf(hook)[1],
  })
}

/** On this machine's clock, and in its time zone. */
export function clockOf(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')
}

function toldIn(body: string): { readonly type: string; readonly amount: string; readonly transaction: string } {
  const details = JSON.parse(new URLSearchParams(body).get('details') ?? '{}')
  const text = (name: string) => (typeof details[name] === 'string' ? details[name] : '-')
  return { type: text('type'), amount: text('amount'), transaction: text('transaction') }
}

const wrongKey = 'Does your app have the Private Key of this merchant?'
const wrongKind = 'Does your app take another kind at this URL?'

/** What an answer makes of the hook, where that is not plain. */
function meaningOf({ kind, status, untaken }: ForwardedHook): readonly [colour: number, hint: string | null] {
  if (untaken === 'late') return [red, 'That was too late: the service did not wait any longer.']
  if (untaken !== null) return [red, `The service did not take this answer: ${untaken.refusal}`]
  if (status !== null && status >= 200 && status <= 299) return [green, null]
  const follows = kind === 'pre_sale' ? afterPreSale(status) : 'It is tried ten times in all.'
  if (status === 400) return [yellow, `${wrongKind} ${follows}`]
  if (status === 403) return [yellow, `${wrongKey} ${follows}`]
  if (status === 404) return [yellow, `Your app has no route or callback for ${kind}. ${follows}`]
  if (status === 405) return [yellow, `Your app takes no POST there. ${follows}`]
  if (status !== null && status >= 300 && status <= 399) return [yellow, `A redirect is not followed. ${follows}`]
  return [red, follows]
}

function afterPreSale(status: number | null): string {
  return status === null || status >= 500 ? 'The sale fails with an error.' : 'The sale is stopped.'
}
