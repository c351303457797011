import assert from 'node:assert/strict'
import { test } from 'node:test'
import TypeBox from 'typebox'
import { Type } from './schema.ts'

/** One of everything, by whichever makes it. */
function written(type: typeof Type) {
  const text = type.String({ maxLength: 40, description: 'Text.' })
  return type.Object(
    {
      text,
      maybe: type.Optional(text),
      again: text,
      flag: type.Boolean({ description: 'A flag.' }),
      whole: type.Optional(type.Integer({ minimum: 1 })),
      number: type.Number(),
      nothing: type.Null(),
      either: type.Unsafe<string | null>({ anyOf: [text, { enum: ['', null] }] }),
      maybeEither: type.Optional(type.Unsafe<unknown>({ type: 'object', additionalProperties: true })),
      list: type.Array(type.Object({ inner: type.Optional(type.String()) }), { maxItems: 20 }),
      empty: type.Object({}),
    },
    { description: 'All.', additionalProperties: true },
  )
}

test('a schema is what TypeBox makes of it', () => {
  assert.deepEqual(plain(written(Type)), plain(written(TypeBox)))
})

test('what may be missing in one object is required in another', () => {
  const name = Type.String()
  assert.deepEqual(plain(Type.Object({ name: Type.Optional(name) })), { type: 'object', properties: { name } })
  assert.deepEqual(plain(Type.Object({ name })), { type: 'object', required: ['name'], properties: { name } })
})

/** As OpenAPI shows it: what TypeBox notes for itself is hidden. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema))
}
