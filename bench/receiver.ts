// A merchant's endpoint in a process of its own.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Receiver {
  readonly url: string
  /** How many notifications came since it was last emptied. */
  count(): Promise<number>
  /** What came, and when; it is forgotten there. */
  empty(): Promise<(readonly [transaction: string, atMs: number])[]>
  close(): void
}

export async function openReceiver(): Promise<Receiver> {
  const receiver = fork(join(import.meta.dirname, 'receiver-process.ts'))
  const said = async () => (await once(receiver, 'message'))[0]
  const { port } = await said()
  const ask = (question: string) => {
    receiver.send(question)
    return said()
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    count: async () => (await ask('how many?')).count,
    empty: async () => (await ask('what came?')).arrivedAtMs,
    close: () => receiver.disconnect(),
  }
}
