// Whoever reads what a command says may have seen enough, as `head` has; or the disk that it goes to is full. Without a listener Node would end
// the process there and then, with a stack: what a command still has to do, such as to say goodbye to the service, would stay undone, and a service
// would end for want of a log.

const unread = new AbortController()
let unwritten: string | null = null

/** Aborted when nobody reads standard output any more. */
export const whenUnread: AbortSignal = unread.signal

/** Why some of standard output is nowhere, though somebody wants it; null: it is where it was to go. */
export function whyUnwritten(): string | null {
  return unwritten
}

export function bearNotBeingRead(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error', onError) === 0) stream.on('error', onError)
  }
}

/** What is lost of the log is lost: there is no other place to say so, and the next line may find room again. */
function onError(this: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (this !== process.stdout) return
  if (error.code === 'EPIPE') unread.abort()
  else unwritten = error.code ?? error.message
}
