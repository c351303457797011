// A list of the service's, newest first: row by row over all its pages, or one page at a time.

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** What to list the next page with; null: there is none. */
  readonly after: string | null
}

export interface Listing<Row> extends AsyncIterable<Row> {
  /** The one page that was asked for, by `limit` and `after`. */
  page(): Promise<Page<Row>>
}

export type PageAfter<Row> = (asked: { readonly [name: string]: unknown }) => Promise<Page<Row>>

/** Who reads on to the end is served best with large pages. */
const rowsPerPageMax = 100

export function listing<Row>(asked: { readonly [name: string]: unknown }, pageOf: PageAfter<Row>): Listing<Row> {
  return {
    page: () => pageOf(asked),
    async *[Symbol.asyncIterator]() {
      const { limit = rowsPerPageMax, ...others } = asked
      let { after } = asked
      do {
        const page = await pageOf({ limit, ...others, after })
        yield* page.rows
        after = page.after
      } while (after !== null)
    },
  }
}

/**
 * What the Link header says of the next page. Only its `after` is taken: an address that an answer names is not asked with
 * the merchant's secret.
 */
export function afterIn(link: string | null): string | null {
  const [, address] = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '') ?? []
  return address === undefined ? null : new URLSearchParams(address.replace(/^[^?]*/, '')).get('after')
}
