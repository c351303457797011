// Where a proxy serves the service under a path, and takes that path off before it passes a request on.

/** What stands before every path of ours: the path of the service's base address, without its end. */
export function rootOf(baseUrl: string): string {
  return (URL.parse(baseUrl)?.pathname ?? '').replace(/\/+$/, '')
}
