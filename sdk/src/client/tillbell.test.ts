import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { answerOf, Tillbell, type TillbellOptions } from './index.ts'
import { afterIn } from './listing.ts'

const given: TillbellOptions = { apiKey: 'pk_one', apiSecret: 'sk_hidden', baseUrl: 'https://pay.example' }

/** Answers with what `answer` makes of the address. */
function clientOf(answer: (url: URL) => { body: unknown; link?: string }): { tillbell: Tillbell; asked: string[] } {
  const asked: string[] = []
  const fetch = async (url: unknown) => {
    asked.push(String(url))
    const { body, link } = answer(new URL(String(url)))
    return new Response(JSON.stringify(body), { headers: link === undefined ? {} : { link } })
  }
  return { tillbell: new Tillbell({ ...given, fetch: fetch as typeof globalThis.fetch }), asked }
}

test('what a client cannot work with is said when it is made', () => {
  const wrong: { [name: string]: unknown }[] = [
    { apiKey: undefined },
    { apiKey: 'a:b' },
    { apiSecret: '' },
    { baseUrl: undefined },
    { baseUrl: 'pay.example' },
    { baseUrl: 'ftp://pay.example' },
    { baseUrl: 'https://user:word@pay.example' },
    { baseUrl: 'https://pay.example/?a=b' },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { deadlineMs: 2 ** 31 },
    { retries: -1 },
    { retries: 1.5 },
  ]
  for (const each of wrong) {
    const [name = ''] = Object.keys(each)
    assert.throws(
      () => new Tillbell({ ...given, ...each } as TillbellOptions),
      new RegExp(`${name} must`),
      inspect(each),
    )
  }
})

test('the secret is nowhere on a client, however it is shown', () => {
  const tillbell = new Tillbell(given)
  const shown = [
    inspect(tillbell, { depth: null, showHidden: true, getters: true }),
    JSON.stringify(tillbell),
    String(tillbell),
    Object.values(tillbell).flatMap(Object.values).map(String).join(),
  ]
  const secrets = ['sk_hidden', btoa('pk_one:sk_hidden')]
  for (const text of shown) for (const secret of secrets) assert.ok(!text.includes(secret))
})

test('a list is read row by row over its pages, with large ones, until the last', async () => {
  const { tillbell, asked } = clientOf(({ searchParams }) => {
    const from = Number(searchParams.get('after') ?? 0)
    const link = `<https://elsewhere.example/x?limit=100&after=${from + 2}>; rel="next"`
    return { body: [{ id: from + 1 }, { id: from + 2 }].slice(0, from === 4 ? 1 : 2), ...(from < 4 && { link }) }
  })
  const ids: unknown[] = []
  for await (const { id } of tillbell.transactions.list({ status: 'Failed', email: undefined })) ids.push(id)
  assert.deepEqual(ids, [1, 2, 3, 4, 5])
  const base = 'https://pay.example/api/v5/rest/transactions?limit=100&status=Failed'
  assert.deepEqual(asked, [base, `${base}&after=2`, `${base}&after=4`])
  for await (const { id } of tillbell.transactions.list({ after: '4' })) {
    assert.equal(id as unknown, 5, 'from where it is asked to begin')
  }
})

test('a list whose limit is left undefined is read with large pages, too', async () => {
  const { tillbell, asked } = clientOf(() => ({ body: [] }))
  for (const limit of [undefined, 7]) for await (const _ of tillbell.offers.list({ limit })) assert.fail()
  const limits = asked.map(url => new URL(url).searchParams.get('limit'))
  assert.deepEqual(limits, ['100', '7'])
})

test('a list is asked for with what has one spelling: a Date as the interface writes times, nothing that is no value', async () => {
  const { tillbell, asked } = clientOf(() => ({ body: [] }))
  const page = (given: object) => tillbell.transactions.list(given).page()
  await page({ created_after: new Date(0), limit: 5, status: undefined })
  const only = [...new URL(asked[0] ?? '').searchParams]
  assert.deepEqual(only, [
    ['created_after', '1970-01-01T00:00:00.000Z'],
    ['limit', '5'],
  ])
  for (const wrong of [null, ['a', 'b'], {}, Number.NaN, new Date(Number.NaN), Symbol('x'), () => 'x']) {
    await assert.rejects(page({ email: wrong }), { name: 'TypeError', message: /^email must be/ }, inspect(wrong))
    await assert.rejects(
      tillbell.transactions
        .list({ email: wrong as never })
        [Symbol.asyncIterator]()
        .next(),
      TypeError,
    )
  }
  assert.equal(asked.length, 1, 'and of the others the service heard nothing')
})

test('whoever has seen enough of a list asks for no more of it', async () => {
  const { tillbell, asked } = clientOf(() => ({ body: [{}, {}], link: '</x?after=a>; rel="next"' }))
  for await (const _ of tillbell.offers.list()) break
  assert.equal(asked.length, 1)
})

test('one page is asked for as it is wanted, and says where the next begins', async () => {
  const { tillbell, asked } = clientOf(() => ({ body: [{ id: 'z' }], link: '</x?after=a%20b&limit=1>; rel="next"' }))
  const page = await tillbell.transactions.list({ limit: 1, after: 'y' }).page()
  assert.deepEqual(page, { rows: [{ id: 'z' }], after: 'a b' })
  assert.deepEqual(asked, ['https://pay.example/api/v5/rest/transactions?limit=1&after=y'])
})

test('only a link to the next page is one', () => {
  assert.equal(afterIn(null), null)
  assert.equal(afterIn('<https://a.example/?after=x>; rel="prev"'), null)
  assert.equal(afterIn('<https://a.example/?b=x>; rel="next"'), null)
  assert.equal(afterIn('<https://a.example/?after=p>; rel="prev", <https://a.example/?after=n>; rel="next"'), 'n')
})

test('what came back says under which key it was asked for', async () => {
  const { tillbell } = clientOf(() => ({ body: { offer: { offer_id: 'one' } } }))
  const offer = await tillbell.offers.create({ amount: '1.00' }, { idempotencyKey: 'mine' })
  assert.deepEqual(offer, { offer_id: 'one' })
  assert.equal(answerOf(offer)?.idempotencyKey, 'mine')
  assert.equal(answerOf({}), null)
})

test('a name that would ask for something else is not sent', async () => {
  const { tillbell, asked } = clientOf(() => ({ body: {} }))
  for (const name of ['', '.', '..', undefined, 7]) {
    await assert.rejects(tillbell.creditCards.remove(name as string), TypeError)
  }
  assert.deepEqual(asked, [])
})
