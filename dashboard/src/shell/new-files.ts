// A page's file that is gone: the service was updated since the dashboard was loaded, and the new one knows the new names.

const name = 'tillbell.reloaded-at'
/** Where loading again did not help, the page says that it broke. */
const onceInMs = 30_000

export function reloadForNewFiles(): void {
  try {
    const reloadedAt = Number(sessionStorage.getItem(name) ?? 0)
    if (Date.now() - reloadedAt < onceInMs) return
    sessionStorage.setItem(name, String(Date.now()))
    location.reload()
  } catch {
    // A browser that keeps nothing could load again for ever.
  }
}
