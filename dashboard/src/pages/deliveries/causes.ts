// Why an attempt failed, as one of a few causes that people can do something about. The service says it in a sentence of its
// own, which is shown beside it.

export type Cause =
  | 'slow'
  | 'unfinished'
  | 'refused'
  | 'unreachable'
  | 'name'
  | 'tls'
  | 'redirect'
  | 'notHttp'
  | 'broke'
  | 'address'
  | 'proxy'
  | 'denied'
  | 'notFound'
  | 'busy'
  | 'rejected'
  | 'crashed'
  | 'paused'
  | 'gone'
  | 'ours'
  | 'other'

const causesOfReasons: readonly (readonly [RegExp, Cause])[] = [
  [/^No answer within/, 'slow'],
  [/^Answered \d+, but not the whole/, 'unfinished'],
  [/^The connection was refused/, 'refused'],
  [/^No connection within|^The host is not reachable|^The connection failed/, 'unreachable'],
  [/^The host name|^The resolver/, 'name'],
  [/proxy/, 'proxy'],
  [/\bTLS\b/, 'tls'],
  [/^The connection broke/, 'broke'],
  [/^The answer is not HTTP|^The headers of the answer|^The answer came in too many/, 'notHttp'],
  [/^The URL/, 'address'],
  [/^The endpoint is paused/, 'paused'],
  [/no longer kept/, 'gone'],
  [/our side|The answer was lost/, 'ours'],
]

export function causeOf({
  status,
  reason,
}: {
  readonly status: number | null
  readonly reason: string | null
}): Cause | null {
  if (status !== null) return causeOfStatus(status)
  if (reason === null) return null
  return causesOfReasons.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other'
}

/** Null: it was accepted. */
function causeOfStatus(status: number): Cause | null {
  if (status >= 200 && status <= 299) return null
  if (status >= 300 && status <= 399) return 'redirect'
  if (status === 401 || status === 403) return 'denied'
  if (status === 404 || status === 405 || status === 410) return 'notFound'
  if (status === 429) return 'busy'
  return status >= 500 ? 'crashed' : 'rejected'
}
