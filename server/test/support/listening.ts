// A developer's machine: an app that takes hooks, and `tillbell listen` in a process of its own.

import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { end, spawnTillbell } from './process.ts'
import { until } from './until.ts'

export interface Taken {
  readonly path: string
  readonly rawHeaders: readonly string[]
  readonly body: string
}

export interface App {
  readonly port: number
  readonly taken: Taken[]
  /** What it answers, by its path; 200 elsewhere. */
  readonly answers: { [path: string]: number }
  /** It takes what comes there, and answers none of it before it is let go. */
  hold(path: string): { letGo(): void }
  close(): Promise<void>
}

export async function startApp(port = 0): Promise<App> {
  const taken: Taken[] = []
  const answers: { [path: string]: number } = {}
  const held = new Map<string, Promise<void>>()
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path = '', rawHeaders } = request
    taken.push({ path, rawHeaders, body: Buffer.concat(chunks).toString() })
    await held.get(path)
    // An app may answer any bytes.
    response.writeHead(answers[path] ?? 200).end(`GIF\0 ${answers[path] ?? 200}`)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    answers,
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(path, promise)
      return { letGo: resolve }
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

export interface Listening {
  /** What it has printed, a line for each thing. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  said(): any[]
  /** Until it has said so much of a kind of thing. */
  has(event: string, count?: number): Promise<void>
  kill(signal?: NodeJS.Signals): Promise<void>
  /** As a machine that sleeps. */
  sleep(): void
  wake(): void
  /** As `| head` does, when it has seen enough. */
  closeOutput(): void
  complained(): string
  readonly ended: Promise<unknown>
  exitCode(): number | null
}

/** Resolves when it listens. */
export async function startListening(
  words: readonly string[],
  environment: { readonly [name: string]: string },
): Promise<Listening> {
  const child = spawnTillbell(['listen', '--json', ...words], environment)
  const ended = once(child, 'exit')
  let [printed, complained] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    printed += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    complained += text
  })
  const said = () =>
    printed
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line))
  const listening: Listening = {
    said,
    has: (event, count = 1) =>
      until(`it says ${event} ${count} times: ${complained}`, async () => {
        if (child.exitCode !== null) throw new Error(`it has ended with ${child.exitCode}: ${complained}`)
        return said().filter(line => line.event === event).length >= count
      }),
    kill: signal => end(child, signal),
    sleep: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    closeOutput: () => void child.stdout.destroy(),
    complained: () => complained,
    ended,
    exitCode: () => child.exitCode,
  }
  await listening.has('listening')
  return listening
}
