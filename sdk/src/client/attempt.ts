// One HTTP request, and what came of it as a value.

export interface Request {
  readonly url: string
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | null
}

export type Attempt = Answered | Silent

export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Silent {
  readonly kind: 'silent'
  readonly because: 'timeout' | 'abort' | 'connection'
  /** False only where it is certain that no byte of the request left. */
  readonly maybeSent: boolean
  /** What the platform calls it, such as `ECONNRESET`; null: nothing that may be shown. */
  readonly code: string | null
}

export async function attempt(
  fetch: typeof globalThis.fetch,
  { url, method, headers, body }: Request,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  if (signal?.aborted) return { kind: 'silent', because: 'abort', maybeSent: false, code: null }
  const controller = new AbortController()
  let because: Silent['because'] = 'connection'
  const end = (why: Silent['because']) => {
    because = why
    controller.abort()
  }
  // By hand: AbortSignal.any is not everywhere yet.
  const timer = setTimeout(end, timeoutMs, 'timeout')
  const onAbort = () => end('abort')
  signal?.addEventListener('abort', onAbort)
  try {
    // A redirect that is followed would carry the secret, or turn a POST into a GET.
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal: controller.signal })
    const text = await response.text()
    return { kind: 'answered', status: response.status, headers: response.headers, text }
  } catch (error) {
    const { code, neverSent } = whatFailed(error)
    // The cause is not kept: whatever fetch is given may put the request into it, and the secret with that.
    return { kind: 'silent', because, maybeSent: because !== 'connection' || !neverSent, code }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Ends before there is a connection to send on, in the words of Node, Bun and the TLS beneath them. */
const neverSentCodes = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused', 'FailedToOpenSocket'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])
/** Deno has a sentence instead. What stands before this part of it has the URL, with what may be nobody's business. */
const denoSays = /client error \((Connect|SendRequest)\): ([\w ():]{1,120})/
const causesDeep = 4

function whatFailed(error: unknown): { readonly code: string | null; readonly neverSent: boolean } {
  let cause = error
  for (let depth = 0; depth < causesDeep && typeof cause === 'object' && cause !== null; depth++) {
    const { code, syscall, message, cause: inner } = cause as { readonly [name: string]: unknown }
    if (typeof code === 'string' && /^\w{1,60}$/.test(code)) {
      return { code, neverSent: neverSentCodes.has(code) || syscall === 'connect' || syscall === 'getaddrinfo' }
    }
    const [, phase, words] = denoSays.exec(String(message)) ?? []
    if (words !== undefined) return { code: words, neverSent: phase === 'Connect' }
    cause = inner
  }
  return { code: null, neverSent: false }
}
