// A page's file that did not come. Either nothing can be reached, and the page says so; or the service was updated since the
// dashboard was loaded, and loading it again brings the new names.

/** What a page is loaded with: its failure is told from a mistake of ours. */
export class FileMissing extends Error {}

export function orFileMissing(cause: unknown): never {
  throw new FileMissing('a file of the dashboard did not come', { cause })
}

const name = 'tillbell.reloaded-at'
/** Where loading again did not help, the page says that it broke. */
const onceInMs = 30_000

/** Whether the service answers, and with which files. */
export async function askForFiles(): Promise<'no answer' | 'same' | 'other'> {
  const response = await fetch(location.href, { cache: 'no-store' }).catch(() => null)
  const page = response?.ok === true ? await response.text().catch(() => null) : null
  if (page === null) return 'no answer'
  const running = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? ''
  return page.includes(running) ? 'same' : 'other'
}

export function reloadOnce(): void {
  try {
    const reloadedAt = Number(sessionStorage.getItem(name) ?? 0)
    if (Date.now() - reloadedAt < onceInMs) return
    sessionStorage.setItem(name, String(Date.now()))
    location.reload()
  } catch {
    // A browser that keeps nothing could load again for ever.
  }
}
