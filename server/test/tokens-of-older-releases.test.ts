// The migration by which tokens know their key, over data: tokens that a newer link replaced, or that a compromised key made, are revoked; others stay, and know
// their key where their merchant had only one.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migrate, readMigrations } from '../src/store/migrate.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
before(async () => {
  database = await emptyDatabase()
})
after(() => database.drop())

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
const [firstKey, secondKey, onlyKey] = [idOf(101), idOf(102), idOf(103)]

const insertKey = (merchant: string, id: string, state: string, at: string, compromised = false) =>
  `insert into merchant_key (merchant_id, id, state, public_key, private_key_sealed, currency, created_at, compromised)
    values ('${merchant}', '${id}', '${state}', '${id}', ${state === 'deleted' ? 'null' : "'\\x00'"}, 'USD', '${at}', ${compromised});`

const insertOffer = (merchant: string, number: number, email: string | null = null) =>
  `insert into offer (merchant_id, id, created_at, title, details, amount_minor, amount_given, currency, custom_fields, email,
      authorization_only, custom_data, token_content, active)
    values ('${merchant}', '${idOf(number)}', now(), '', '', 100, '1.00', 'USD', '[]', ${email === null ? 'null' : `'${email}'`},
      false, '{}', '', true);`

interface Row {
  readonly merchant?: string
  readonly box: number
  readonly offer: number
  readonly at?: string
  readonly personal?: boolean
  readonly registered?: boolean
}

const insertToken = ({ merchant = 'one', box, offer, at = '2026-03-01', personal = false, registered = false }: Row) =>
  `insert into token (merchant_id, box_sha256, offer_id, is_personal, registered, created_at)
    values ('${merchant}', sha256('${box}'), '${idOf(offer)}', ${personal}, ${registered}, '${at}');`

const insertLink = (offer: number, email: string, box: number) =>
  `insert into offer_link (merchant_id, offer_id, email, content, box_sha256)
    values ('one', '${idOf(offer)}', '${email}', '', sha256('${box}'));`

test('what was replaced or is compromised is revoked, and the rest stays', async () => {
  const { sql } = database
  const migrations = await readMigrations()
  const place = migrations.findIndex(({ text }) => text.includes('add column key_id'))
  await migrate(sql, migrations.slice(0, place))
  await sql.unsafe(
    [
      `insert into merchant (merchant_id, partner, partner_id, name, email, currency, created_at)
        select id, gen_random_uuid(), number, id, id || '@shop.test', 'USD', '2026-01-01' from (values ('one', 1), ('two', 2)) m (id, number);`,
      insertKey('one', onlyKey, 'current', '2026-01-01'),
      insertKey('two', firstKey, 'deleted', '2026-01-01', true),
      insertKey('two', secondKey, 'current', '2026-02-01'),
      // An offer for everybody, with two links of one customer; one for a customer, with a link beside its own token; one without a link.
      ...[insertOffer('one', 1), insertOffer('one', 2, 'ada@example.org'), insertOffer('one', 3, 'bob@example.org')],
      insertToken({ box: 1, offer: 1 }),
      ...[2, 3].map(box => insertToken({ box, offer: 1, personal: true })),
      insertLink(1, 'ada@example.org', 3),
      ...[4, 5].map(box => insertToken({ box, offer: 2, personal: true })),
      insertLink(2, 'ada@example.org', 5),
      insertToken({ box: 6, offer: 3, personal: true }),
      // Registered while there was only the key that is compromised now, and when there were two.
      ...[insertOffer('two', 4), insertOffer('two', 5)],
      insertToken({ merchant: 'two', box: 7, offer: 4, at: '2026-01-15', registered: true }),
      insertToken({ merchant: 'two', box: 8, offer: 5, registered: true }),
    ].join('\n'),
  )
  await migrate(sql, migrations)
  const rows = await sql<{ box: number; isRevoked: boolean; keyId: string | null; active: boolean }[]>`
    select n as box, revoked_at is not null as is_revoked, key_id, o.active from generate_series(1, 8) n
      join token t on t.box_sha256 = sha256(n::text::bytea)
      join offer o on o.merchant_id = t.merchant_id and o.id = t.offer_id order by n`
  assert.deepEqual(
    rows.map(({ box, isRevoked, keyId, active }) => [box, isRevoked, keyId, active]),
    [
      [1, false, onlyKey, true],
      [2, true, onlyKey, true],
      [3, false, onlyKey, true],
      [4, true, onlyKey, true],
      [5, false, onlyKey, true],
      [6, false, onlyKey, true],
      [7, true, firstKey, false],
      [8, false, null, true],
    ],
  )
})
