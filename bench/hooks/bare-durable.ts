// The limit of what is durable: a table of what is owed, taken and crossed off many at a time, and plain sockets. One driver, one sender, no
// retries, no lanes, no care for failures: what remains of a delivery when all is left out that can be.

import { connect } from 'node:net'
import { hookBody } from '@tillbell/sdk'
import pg from 'pg'
import { atOnce, type Enter, manyDetails, privateKey } from './contestant.ts'

const bite = 256
const collectForMs = 16

interface Owed {
  readonly id: string
  readonly details: string
}

export const enter: Enter = async ({ receiverUrl, databaseUrl }) => {
  const { hostname, port } = new URL(receiverUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 })
  await pool.query(`
    create table owed (id uuid primary key, held boolean not null default false, details text not null);
    create index owed_free on owed (id) where not held;
    create table attempt (id uuid primary key, at timestamptz not null, status int not null, duration_ms int not null)`)
  const inHand: Owed[] = []
  const done: { id: string; atMs: number; status: number; durationMs: number }[] = []
  let onWire = 0
  let left = 0
  let claiming = false
  let isWriting = false

  async function claim(): Promise<void> {
    claiming = true
    const { rows } = await pool.query<Owed>({
      name: 'claim',
      // A list: a join lets the planner, which has seen the table empty, read all of it for each row.
      text: `update owed set held = true where id = any(array(select id from owed where not held order by id limit ${bite} for update skip locked)) returning id, details`,
    })
    inHand.push(...rows)
    claiming = false
    if (rows.length > 0) pump()
  }

  function pump(): void {
    while (onWire < atOnce) {
      const next = inHand.pop()
      if (next === undefined) break
      onWire += 1
      send(next)
    }
    if (inHand.length <= bite / 2 && !claiming && left > inHand.length + onWire) void claim()
  }

  function send({ id, details }: Owed): void {
    const atMs = Date.now()
    const body = hookBody(details, privateKey)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.on('data', bytes => {
      socket.destroy()
      onWire -= 1
      left -= 1
      done.push({ id, atMs, status: Number(bytes.toString('latin1', 9, 12)), durationMs: Date.now() - atMs })
      writeSoon()
      pump()
    })
    socket.write(
      'POST / HTTP/1.1\r\nAccept: */*\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n' +
        `Host: ${hostname}:${port}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      'latin1',
    )
  }

  function writeSoon(): void {
    if (isWriting) return
    isWriting = true
    setTimeout(write, collectForMs)
  }

  async function write(): Promise<void> {
    const batch = done.splice(0)
    const list = (of: (each: (typeof batch)[number]) => string | number) => `{${batch.map(of).join(',')}}`
    await pool.query({
      name: 'write',
      text: `with r as (select * from unnest($1::uuid[], $2::float8[], $3::int[], $4::int[]) r(id, at_ms, status, duration_ms)),
          gone as (delete from owed where id = any($1::uuid[]))
        insert into attempt select id, to_timestamp(at_ms / 1000), status, duration_ms from r`,
      values: [
        list(({ id }) => id),
        list(({ atMs }) => atMs),
        list(({ status }) => status),
        list(({ durationMs }) => durationMs),
      ],
    })
    isWriting = false
    if (done.length > 0) writeSoon()
  }

  return {
    async load(count) {
      await pool.query('insert into owed (id, details) select gen_random_uuid(), * from unnest($1::text[])', [
        manyDetails(count),
      ])
      left = count
      pump()
    },
    async left() {
      const { rows } = await pool.query('select count(*)::int as left from owed')
      return rows[0].left
    },
    stop: () => pool.end(),
  }
}
