// An HTTP/1 answer as RFC 9112 has it, read at leisure: all of it is here, and nothing needs to be fast.

const limitBytes = 16_384

/** Null: it is no whole answer. `isOrderly`: the other side said that this was all. */
export function statusOf(text: string, isOrderly: boolean): number | null {
  let rest = text
  let headBytes = 0
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return null
    const lines = rest.slice(0, end).split('\r\n')
    headBytes += end + 4
    rest = rest.slice(end + 4)
    const status = /^HTTP\/1\.[01] ([1-9][0-9][0-9])( [\t\x20-\x7e\x80-\xff]*)?$/.exec(lines[0] ?? '')?.[1]
    const fields = fieldsOf(lines.slice(1))
    if (status === undefined || status === '101' || fields === null || headBytes > limitBytes) return null
    const framing = framingOf(fields)
    if (framing === null) return null
    if (status.startsWith('1')) continue
    const isBodiless = status === '204' || status === '304'
    return isBodiless || isWhole(rest, framing, isOrderly) ? Number(status) : null
  }
}

type Fields = readonly (readonly [name: string, value: string])[]

function fieldsOf(lines: readonly string[]): Fields | null {
  const read = lines.map(line => /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(line))
  const fields = read.map(
    parts => [parts?.[1]?.toLowerCase() ?? '', parts?.[2]?.replace(/^[ \t]+|[ \t]+$/g, '') ?? ''] as const,
  )
  return read.includes(null) ? null : fields
}

type Framing = { readonly kind: 'sized'; readonly bytes: number } | { readonly kind: 'chunked' | 'until close' }

/** Null: it could be understood in two ways. */
function framingOf(fields: Fields): Framing | null {
  const named = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value]) => value)
  const [lengths, encodings] = [named('content-length'), named('transfer-encoding')]
  if (lengths.some(length => !/^[0-9]{1,15}$/.test(length)) || new Set(lengths.map(Number)).size > 1) return null
  if (encodings.length > 0) {
    const isPlain = encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked' && lengths.length === 0
    return isPlain ? { kind: 'chunked' } : null
  }
  return lengths.length > 0 ? { kind: 'sized', bytes: Number(lengths[0]) } : { kind: 'until close' }
}

/** No more than so much of a body is waited for. */
function isWhole(body: string, framing: Framing, isOrderly: boolean): boolean {
  if (framing.kind === 'chunked') return isWholeInChunks(body)
  if (framing.kind === 'sized') return body.length >= Math.min(framing.bytes, limitBytes)
  return isOrderly || body.length >= limitBytes
}

function isWholeInChunks(body: string): boolean {
  let rest = body
  let taken = 0
  for (;;) {
    const [line, digits] = /^([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?\r\n/.exec(rest) ?? []
    if (line === undefined || digits === undefined || line.length > 1_024) return false
    rest = rest.slice(line.length)
    const bytes = Number.parseInt(digits, 16)
    if (bytes === 0) return endsWithTrailers(rest)
    taken += Math.min(bytes, rest.length)
    if (taken >= limitBytes) return true
    if (rest.slice(bytes, bytes + 2) !== '\r\n') return false
    rest = rest.slice(bytes + 2)
  }
}

function endsWithTrailers(rest: string): boolean {
  if (rest.startsWith('\r\n')) return true
  const end = rest.indexOf('\r\n\r\n')
  return end !== -1 && end + 4 <= limitBytes && fieldsOf(rest.slice(0, end).split('\r\n')) !== null
}
