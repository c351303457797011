// A line to PostgreSQL that breaks around a commit: before it arrives, or after it was made and before anybody heard so.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Fate = 'passes' | 'never arrives' | 'is not heard of'

export interface CommitLosingProxy {
  readonly url: string
  /** What became of each commit. */
  readonly fates: readonly Fate[]
  close(): Promise<void>
}

/** `databaseUrl` names the folder of the socket. */
export async function startCommitLosingProxy(databaseUrl: string, fateOfNext: () => Fate): Promise<CommitLosingProxy> {
  const url = new URL(databaseUrl)
  const fates: Fate[] = []
  const server = createServer(client => {
    const database = connect(`${url.searchParams.get('host')}/.s.PGSQL.${url.searchParams.get('port') ?? 5432}`)
    const breakBoth = () => [client, database].map((end: Socket) => end.destroy())
    for (const end of [client, database]) end.on('error', breakBoth).once('close', breakBoth)
    let isDeaf = false
    client.on('data', asked => {
      const fate = asked.includes('commit\0') ? fateOfNext() : null
      if (fate !== null) fates.push(fate)
      if (fate === 'never arrives') return void breakBoth()
      isDeaf ||= fate === 'is not heard of'
      return database.write(asked)
    })
    database.on('data', said => {
      if (!isDeaf) client.write(said)
      else if (said.includes('COMMIT\0') || said.includes('ROLLBACK\0')) breakBoth()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${url.searchParams.get('user')}@127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}`,
    fates,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
