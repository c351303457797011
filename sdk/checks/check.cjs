// What the built package must do in every runtime, with nothing but what all of them have. It is handed the package's modules, so that it
// is the same for ES modules and CommonJS, and throws at the first promise that is not kept.

const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const url = 'https://shop.example/hooks/'

function same(found, expected) {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${one} should be ${other}`)
}

function codeOf(work) {
  try {
    work()
  } catch (error) {
    return error.code
  }
  return 'believed'
}

async function check(modules) {
  signs(modules)
  parses(modules)
  makesTokens(modules)
  for (const handler of fetchHandlers(modules)) await answers(modules, handler)
  await doesOnce(modules)
  await asks(modules)
}

function signs({ sdk }) {
  same(sdk.signDetails('what do ya want for nothing?', 'Jefe'), 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79')
  same(sdk.signDetails('{"name":"Zoë 語 😀"}', privateKey), '860a30c70d8b9fa1854748c54cf7ff8054cb0337')
  const message = { id: 'msg_1', timestampS: 1731672000, body: 'Zoë' }
  const headers = Object.fromEntries(sdk.standardWebhooksHeaders(message, ['whsec_AAECAwQFBgcICQoLDA0ODw==']))
  same(headers['webhook-signature'], 'v1,N4y1jW4cVw7I/W82PvLd3qGQVSWBCPBTzCDqN5qtvXs=')
  same(sdk.verifyStandardWebhook(headers, 'Zoë', 'whsec_AAECAwQFBgcICQoLDA0ODw==', { nowS: 1731672000 }).id, 'msg_1')
}

function parses({ sdk, testing }) {
  const { body, details, signature } = testing.signHook(testing.sample('far', { name: 'Zoë' }), privateKey)
  for (const input of [body, new TextEncoder().encode(body), { details, signature }]) {
    const hook = sdk.parseHook(input, ['another', privateKey], { kind: 'far' })
    same([hook.kind, hook.details.name, hook.keyIndex, hook.id.length], ['far', 'Zoë', 1, 64])
  }
  same(sdk.parseHook(body, privateKey).kind, 'far_or_error')
  same(
    codeOf(() => sdk.parseHook(body, 'another', { kind: 'far' })),
    'bad_signature',
  )
  same(
    codeOf(() => sdk.parseHook({}, privateKey)),
    'body_already_parsed',
  )
}

function makesTokens({ sdk, token }) {
  const asked = {
    partnerId: 1,
    privateKey,
    servicePublicKey: privateKey,
    target: { email: 'ada@example.com' },
    amount: '20.55',
  }
  const [one, other] = [token.createToken(asked), sdk.createToken(asked)]
  if (!/^@[A-Za-z0-9_-]{100,}={0,2}@$/.test(one) || one === other) throw new Error(`${one} is no token`)
}

function fetchHandlers({ fetch, hono, next }) {
  return [
    settings => fetch.hookHandler(settings),
    settings => request => hono.hookHandler(settings)({ req: { raw: request, param: () => undefined } }),
    settings => request => next.hookRoute(settings)(request, { params: Promise.resolve({}) }),
  ]
}

async function answers({ testing }, handlerOf) {
  const handler = handlerOf({
    privateKey,
    on: { pre_sale: () => ({ stop: 'Sold out' }), transaction: async () => {} },
    onError: () => {},
  })
  const { sample, signHook } = testing
  const ask = async (kind, key) => {
    const { method, headers, body } = signHook(sample(kind), key)
    const response = await handler(new Request(url + kind, { method, headers, body }))
    return [response.status, await response.text()]
  }
  same(await ask('transaction', privateKey), [200, '{"ok":true}'])
  same(await ask('pre_sale', privateKey), [409, '{"stop":"Sold out"}'])
  same((await ask('transaction', 'another'))[0], 403)
}

async function doesOnce({ sdk, testing }) {
  let done = 0
  const handle = sdk.once(sdk.memoryStore(), () => void done++)
  const { body } = testing.signHook(testing.sample('transaction'), privateKey)
  for (let copy = 0; copy < 3; copy++) await handle(sdk.parseHook(body, privateKey))
  same(done, 1)
}

/** The client asks with the runtime's own Request and Response. */
async function asks({ sdk }) {
  const asked = []
  const fetch = async (input, init) => {
    const request = new Request(input, init)
    asked.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`)
    return new Response('{"transaction":{"id":"1"},"errors":null}', { headers: { 'content-type': 'application/json' } })
  }
  const tillbell = new sdk.Tillbell({ baseUrl: 'https://pay.example', apiKey: 'pk_1', apiSecret: 'sk_1', fetch })
  same((await tillbell.transactions.get('1')).id, '1')
  same(asked, ['GET https://pay.example/api/v5/rest/transactions/1 Basic cGtfMTpza18x'])
}

module.exports = { check, privateKey }
