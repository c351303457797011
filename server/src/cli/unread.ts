// Whoever reads what a command says may have seen enough, as `head` has. Without a listener Node would end the process there and
// then, with a stack: what a command still has to do, such as to say goodbye to the service, would stay undone.

const unread = new AbortController()

/** Aborted when nobody reads standard output any more. */
export const whenUnread: AbortSignal = unread.signal

export function bearNotBeingRead(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error', onError) === 0) stream.on('error', onError)
  }
}

function onError(this: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (this === process.stdout) unread.abort()
}
