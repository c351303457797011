// A thread that posts hooks. posting-threads.ts starts it, gives it requests, and ends it.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createThreadSender, type Posted, type Request, type SenderOptions } from './sender.ts'

/** What can be said to a thread. */
export type ThreadOptions = Pick<SenderOptions, 'mode' | 'allow' | 'proxy' | 'dns' | 'ca'>

export type ToThread =
  | {
      readonly kind: 'post'
      readonly id: number
      readonly request: Request
      readonly merchant: string
      /** They are known only once the service listens. */
      readonly ownPorts: readonly number[]
      readonly inboxPort: number | null
    }
  | { readonly kind: 'cut off' }

export type FromThread =
  | { readonly kind: 'posted'; readonly id: number; readonly posted: Posted }
  | { readonly kind: 'failed'; readonly id: number; readonly error: unknown }

function serve(port: MessagePort, options: ThreadOptions): void {
  let ownPorts: readonly number[] = []
  let inboxPort: number | null = null
  const post = createThreadSender({ ...options, ownPorts: () => ownPorts, inboxPort: () => inboxPort })
  const tell = (message: FromThread) => port.postMessage(message)
  port.on('message', (message: ToThread) => {
    if (message.kind === 'cut off') return post.cutOff()
    const { id, request, merchant } = message
    ;({ ownPorts, inboxPort } = message)
    post(request, merchant).then(
      posted => tell({ kind: 'posted', id, posted }),
      error => tell({ kind: 'failed', id, error }),
    )
  })
}

if (parentPort !== null) serve(parentPort, workerData as ThreadOptions)
