// What would be said over and over: while a gateway is away, every charge is the same line in the log.

const everyMs = 60_000

/** Says it at most once a minute for each name, with how often it was left unsaid since the last time. */
export function saySparingly(
  nowMs: () => number = () => performance.now(),
): (name: string, say: (unsaid: number) => void) => void {
  const last = new Map<string, { readonly atMs: number; unsaid: number }>()
  return (name, say) => {
    const said = last.get(name)
    if (said !== undefined && nowMs() < said.atMs + everyMs) {
      said.unsaid += 1
      return
    }
    last.set(name, { atMs: nowMs(), unsaid: 0 })
    say(said?.unsaid ?? 0)
  }
}
