import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { AwayError } from '../core/away.ts'
import { formPages } from './form-pages.ts'

const service = { baseUrl: () => 'https://pay.example', isSandbox: false }

/** A page that throws; what was logged as an error is counted. */
async function failing(t: TestContext, error: object, failure = new Error('card 4111111111111111')) {
  const app = Fastify()
  t.after(() => app.close())
  let errors = 0
  app.addHook('onRequest', async request => {
    request.log.error = () => void errors++
  })
  formPages(app, service)
  app.get('/', () => {
    throw Object.assign(failure, error)
  })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(address, { headers: { 'accept-language': 'es' } })
  return { status: answer.status, headers: answer.headers, text: await answer.text(), errors }
}

test('what goes wrong on our side is told without saying what, and logged', async t => {
  const { status, text, errors } = await failing(t, {})
  assert.deepEqual([status, errors], [500, 1])
  assert.match(text, /Se produjo un error por nuestra parte/)
  assert.doesNotMatch(text, /4111/)
})

test('while the service stops, customers are told that nothing was done and when to come again', async t => {
  const { status, headers, text, errors } = await failing(t, { status: 503, headers: { 'Retry-After': '5' } })
  assert.deepEqual([status, errors, headers.get('retry-after')], [503, 0, '5'])
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(text, /El servicio se está reiniciando o tiene demasiado que hacer, y no se ha hecho nada/)
})

test('while what is stored is away, customers are not told that nothing was done, and may ask again', async t => {
  const { status, headers, text, errors } = await failing(t, {}, new AwayError('card 4111111111111111'))
  assert.deepEqual([status, errors, headers.get('retry-after')], [503, 1, '2'])
  assert.match(text, /Si acaba de pagar, aún no sabemos si se ha hecho/)
  assert.doesNotMatch(text, /4111/)
})

test('a request that no page of ours sends is the sender’s fault', async t => {
  const { status, text, errors } = await failing(t, { statusCode: 400 })
  assert.deepEqual([status, errors], [400, 0])
  assert.match(text, /No pudimos leer esta solicitud/)
})

test('who typed more than a form takes learns that, and what to do', async t => {
  const { status, text } = await failing(t, { statusCode: 413 })
  assert.equal(status, 413)
  assert.match(text, /Sus respuestas son demasiado largas\. Vuelva atrás y acórtelas\./)
})
