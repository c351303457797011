import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { HookError, type HookKind, hookBody, parseHook, signDetails } from './index.ts'
import { sample, samples, signHook } from './testing/index.ts'

const key = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const otherKey = 'q83vEjRWeJCrze8SNFZ4kKvNq83vEjRWeJCrze8SNFY='
const paid = signHook(sample('transaction'), key)

/** What is thrown, which must be a HookError. */
function refusalOf(input: unknown, keys: Parameters<typeof parseHook>[1] = key, kind?: HookKind): HookError {
  try {
    parseHook(input as string, keys, { kind })
  } catch (error) {
    assert.ok(error instanceof HookError, String(error))
    return error
  }
  return assert.fail('it was believed')
}

const signed = (details: object) => hookBody(JSON.stringify(details), key)

describe('a hook that verifies', () => {
  test('is what was sent, from a body as text or bytes, or from its two parameters', () => {
    const { details, signature } = paid
    for (const input of [paid.body, Buffer.from(paid.body), { details, signature }]) {
      const hook = parseHook(input, key, { kind: 'transaction' })
      assert.deepEqual(hook.details, samples.transaction)
      assert.deepEqual([hook.kind, hook.route, hook.isTest], ['transaction', 'transaction', false])
      assert.deepEqual([hook.detailsText, hook.signature, hook.keyIndex], [details, signature, 0])
    }
  })

  test('verifies with any of several keys, and says with which; those that are not set do not count', () => {
    assert.equal(parseHook(paid.body, [otherKey, key], { kind: 'transaction' }).keyIndex, 1)
    assert.equal(parseHook(paid.body, [undefined, '', key]).keyIndex, 0)
  })

  test('has an id that stays the same under another key, and is another one for other details', () => {
    const id = (details: object, signer: string) => parseHook(signHook(details, signer).body, [key, otherKey]).id
    assert.equal(id(samples.transaction, key), id(samples.transaction, otherKey))
    assert.notEqual(id(samples.authorization, key), id(samples.capture, key))
    assert.notEqual(id(sample('update', { refund: { refunded_token: 'x' } }), key), id(samples.update, key))
  })

  test('says whether it is a test', () => {
    const tested = sample('transaction', { user_data: { custom_data: { test: 'true' } } })
    assert.equal(parseHook(signed(tested), key).isTest, true)
    const asked = sample('transaction', { user_data: { custom_data: { test: true } } })
    assert.equal(parseHook(signed(asked), key).isTest, false)
  })

  test('survives any text in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), name => {
        assert.equal(parseHook(signed(sample('transaction', { name })), key).details.name, name)
      }),
    )
  })
})

describe('the kind of a hook', () => {
  const kindOf = (details: object, route?: HookKind) => parseHook(signed(details), key, { kind: route }).kind

  test('is the route’s, also where type of FAR and Error is crossed', () => {
    for (const route of ['pre_sale', 'transaction', 'far', 'error', 'update'] as const) {
      assert.equal(kindOf(samples[route], route), route)
    }
    assert.equal(kindOf(samples.error, 'far'), 'far')
    assert.equal(kindOf(samples.far, 'error'), 'error')
  })

  test('is transaction or far_or_error on a generic route, and where no route is given', () => {
    for (const route of ['generic', undefined] as const) {
      assert.equal(kindOf(samples.transaction, route), 'transaction')
      assert.equal(kindOf(samples.far, route), 'far_or_error')
      assert.equal(kindOf(samples.error, route), 'far_or_error')
    }
    assert.equal(kindOf(samples.pre_sale), 'pre_sale')
    for (const name of ['update', 'void', 'dispute'] as const) assert.equal(kindOf(samples[name]), 'update')
  })

  test('is refused where type says that it came to the wrong route: a Pre-Sale is no payment', () => {
    const wrong: readonly (readonly [keyof typeof samples, HookKind])[] = [
      ['pre_sale', 'transaction'],
      ['pre_sale', 'generic'],
      ['update', 'generic'],
      ['update', 'transaction'],
      ['far', 'transaction'],
      ['transaction', 'far'],
      ['transaction', 'pre_sale'],
      ['error', 'update'],
    ]
    for (const [name, route] of wrong) {
      const { code, message, status } = refusalOf(signed(samples[name]), key, route)
      assert.deepEqual([code, status], ['wrong_kind', 400], `${name} to ${route}`)
      assert.match(message, new RegExp(`for ${route}.*"${samples[name].type}"`))
    }
    for (const type of ['toString', 'later', 7]) assert.equal(refusalOf(signed({ type })).code, 'wrong_kind')
  })

  test('is the route’s where type is missing, and cannot be told on a generic one', () => {
    const { type: _, ...untyped } = samples.transaction
    assert.equal(kindOf(untyped, 'transaction'), 'transaction')
    assert.equal(refusalOf(signed(untyped), key, 'generic').code, 'wrong_kind')
  })
})

describe('fields', () => {
  test('that the interface does not know are dropped, at every depth; custom_data is free', () => {
    const more = { later: 1, constructor: 1 }
    const { token, user_data, ...flat } = samples.far
    const custom_fields = [{ name: 'Size', required: true, ...more }]
    const details = {
      ...{ ...flat, ...more, further_action: { ...flat.further_action, ...more } },
      token: { ...token, ...more, user_data: { ...token.user_data, ...more } },
      user_data: {
        ...user_data,
        ...more,
        billing: { ...user_data.billing, ...more },
        custom_fields,
        custom_data: more,
      },
    }
    const hook = parseHook(signed(details), key, { kind: 'far' })
    const kept = [{ name: 'Size', required: true }]
    const expected = { ...samples.far, user_data: { ...user_data, custom_fields: kept, custom_data: more } }
    assert.deepEqual(hook.details, expected)
  })

  test('of FAR or Error keep further_action, those of a Transaction have none', () => {
    const { further_action } = samples.far
    assert.ok('further_action' in parseHook(signed(samples.far), key).details)
    assert.ok(!('further_action' in parseHook(signed({ ...samples.transaction, further_action }), key).details))
  })

  test('that are missing are null where they may be, and else missing: nothing throws', () => {
    const { details } = parseHook(signed({ type: 'success', user_data: { custom_data: '' } }), key)
    assert.deepEqual([details.name, details.error, details.card], [null, null, null])
    assert.equal('amount' in details, false)
    assert.deepEqual(details.user_data, { custom_data: '', details: null })
  })
})

describe('what is no hook', () => {
  test('lacks a parameter, and which one is said', () => {
    const missing = (input: unknown) => {
      const error = refusalOf(input)
      assert.deepEqual([error.code, error.status], ['missing_parameter', 400])
      return [(error as HookError & { parameter: string }).parameter, error.message].join(': ')
    }
    assert.match(missing(`signature=${paid.signature}`), /^details: details is missing/)
    assert.match(missing('details=%7B%7D'), /^signature: signature is missing/)
    assert.match(missing(''), /body is empty/)
    assert.match(missing(paid.details), /body is JSON.*urlencoded/)
    assert.match(missing('--x\r\ncontent-disposition: form-data'), /multipart/)
    assert.match(missing(`${paid.body}&details=%7B%7D`), /details is there more than once/)
    assert.match(missing({ details: paid.details }), /^signature: signature must be text, and is undefined/)
    assert.match(missing({ details: [paid.details], signature: paid.signature }), /^details: .*a list/)
  })

  test('was parsed before, and how to read it in each framework is said', () => {
    for (const input of [
      { details: samples.transaction, signature: '0' },
      {},
      samples.transaction,
      undefined,
      null,
      7,
      [],
    ]) {
      const { code, status, message } = refusalOf(input)
      assert.deepEqual([code, status], ['body_already_parsed', 400])
      for (const way of ['Express', 'Fastify', 'Next.js']) assert.ok(message.includes(way), message)
    }
  })

  test('verifies but is no JSON object', () => {
    for (const details of ['no JSON', '', '[]', '7', 'null', '"text"']) {
      assert.deepEqual(refusalOf(hookBody(details, key)).code, 'not_json', details)
    }
  })

  test('is too large', () => {
    const large = `${paid.body}&x=${'x'.repeat(262_144)}`
    for (const input of [large, Buffer.from(large), { details: 'x'.repeat(262_145), signature: '' }]) {
      const { code, status } = refusalOf(input)
      assert.deepEqual([code, status], ['too_large', 413])
    }
  })
})

describe('what does not verify', () => {
  const { details, signature } = signHook(sample('transaction', { name: 'Zoë 語' }), key)
  const hint = (input: unknown, keys: string | readonly string[] = key) => {
    const { code, status, message, answer } = refusalOf(input, keys)
    assert.deepEqual([code, status], ['bad_signature', 403])
    assert.equal(answer, 'The signature does not verify.', 'a stranger is told no more')
    assert.ok(!message.includes(signDetails(details, [keys].flat()[0] ?? '')), 'the expected signature is never told')
    return message
  }

  test('is refused, and where nothing explains it, both reasons are named', () => {
    assert.match(hint({ details, signature }, otherKey), /somebody else sent it, or the key is not/)
    assert.match(hint({ details: details.replace('100.00', '1.00'), signature }), /somebody else/)
    assert.match(hint(paid.body.replace('100.00', '900.00')), /somebody else/)
  })

  test('is explained where details were changed on the way', () => {
    assert.match(hint({ details: JSON.stringify(JSON.parse(details), null, 2), signature }), /written again/)
    assert.match(hint({ details: `${details}\n`, signature }), /white space/)
    assert.match(hint({ details: encodeURIComponent(details), signature }), /still URL-encoded/)
    assert.match(hint({ details: Buffer.from(details).toString('latin1'), signature }), /Latin-1/)
  })

  test('is explained where the key is in another spelling', () => {
    const bytes = Buffer.from(key, 'base64')
    const spelt = [`${key}\n`, `"${key}"`, key.slice(0, -1), bytes.toString('base64url'), bytes.toString('hex')]
    for (const other of [...spelt, bytes.toString('latin1')]) {
      assert.match(hint({ details, signature }, other), /another spelling/, other)
    }
    assert.match(hint({ details, signature }, [otherKey, `${key} `]), /another spelling/)
  })

  test('is explained where the key is something else', () => {
    assert.match(hint({ details, signature }, 'sk_abc'), /API secret/)
    assert.match(hint({ details, signature }, 'pk_abc'), /API key/)
    assert.match(hint({ details, signature }, 'whsec_abc'), /verifyStandardWebhook/)
    assert.match(hint({ details, signature }, 'secret'), /44 characters of base64/)
    const byBytes = createHmac('sha1', Buffer.from(key, 'base64')).update(details).digest('hex')
    assert.match(hint({ details, signature: byBytes }), /signs with the key’s text/)
  })

  test('is explained where the signature is none', () => {
    assert.match(hint({ details, signature: signature.toUpperCase() }), /lower-case/)
    assert.match(hint({ details, signature: 'x' }), /not 40 hexadecimal digits/)
    assert.match(hint({ details: 'x'.repeat(70_000), signature }), /longer/)
  })
})

test('without a key nothing is believed, and that throws as the bug that it is', () => {
  const signedWith = (text: string) => createHmac('sha1', text).update(paid.details).digest('hex')
  for (const none of ['', ' ', '\n', undefined, [], [''], [undefined], ['\t', undefined]]) {
    const [text = ''] = [none].flat()
    const forged = { details: paid.details, signature: signedWith(text) }
    assert.throws(() => parseHook(forged, none), { name: 'TypeError', message: /no Private Key/ }, JSON.stringify(none))
  }
  assert.equal(refusalOf({ details: paid.details, signature: signedWith('') }, '""').code, 'bad_signature')
  assert.throws(() => parseHook(paid.body, Buffer.from(key) as unknown as string), {
    name: 'TypeError',
    message: /text/,
  })
})

test('a kind that is none throws as the bug that it is, whatever comes', () => {
  for (const kind of ['nope', 'toString', '', null, 5]) {
    const options = { kind: kind as HookKind }
    const says = { name: 'TypeError', message: /^kind must be one of pre_sale, .* update\.$/ }
    for (const body of [paid.body, '']) assert.throws(() => parseHook(body, key, options), says, String(kind))
  }
})
