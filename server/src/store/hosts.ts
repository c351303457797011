// A URL that names several servers, one of which takes writes, as libpq writes it:
// postgres://user@one:5432,two:5432/tillbell, or with lists as `host` and `port` of the query.

/** Libpq's words for what is done in any case: of several servers the one is used that takes writes. */
const wanted: readonly (string | null)[] = ['read-write', 'primary', null]
const parts = /^([a-z]+:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/is

/** A URL for each server, in the order that was given; all else is the same. */
export function eachHost(url: string): readonly string[] {
  const [whole, scheme = '', user = '', authority = '', rest = ''] = parts.exec(url) ?? []
  if (whole === undefined) return [url]
  const [path = '', query] = rest.split(/\?(.*)/s)
  const params = new URLSearchParams(query)
  const hosts = params.get('host')?.split(',')
  const ports = params.get('port')?.split(',')
  const named = authority.split(',')
  return Array.from({ length: hosts?.length ?? named.length }, (_, index) => {
    if (hosts !== undefined) params.set('host', hosts[index] ?? '')
    if (ports !== undefined) params.set('port', ports[index] ?? ports[0] ?? '')
    const at = hosts === undefined ? (named[index] ?? '') : authority
    return `${scheme}${user}${at}${path}${params.size > 0 ? `?${params}` : ''}`
  })
}

/** False: another server is asked for than one that takes writes. */
export function wantsWrites(url: string): boolean {
  return wanted.includes(new URLSearchParams(url.split('?')[1]).get('target_session_attrs'))
}

/** Who it is, for a sentence: without credentials. */
export function hostNamed(url: string): string {
  const { host, searchParams } = new URL(url)
  return (searchParams.get('host') ?? host) + (searchParams.has('port') ? `:${searchParams.get('port')}` : '')
}
