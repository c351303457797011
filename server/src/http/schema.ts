// The schemas that we write, as TypeBox makes them, and typed by it. It is not loaded: nine functions are all we use of
// nearly four hundred modules, which took a third of the time of every start.

import type TypeBox from 'typebox'

interface Schema {
  readonly [keyword: string]: unknown
}

/** Known by identity: that a member may be missing is said by its object, not by its own schema. */
const optionals = new WeakSet<Schema>()

const ofType =
  (type: string) =>
  (more: Schema = {}): Schema => ({ type, ...more })

const made = {
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Null: ofType('null'),
  Number: ofType('number'),
  String: ofType('string'),
  /** Its type is whatever the caller says. */
  Unsafe: (schema: Schema): Schema => ({ ...schema }),
  Array: (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more }),
  Object(properties: { readonly [name: string]: Schema }, more: Schema = {}): Schema {
    const members = Object.entries(properties)
    const required = members.filter(([, schema]) => !optionals.has(schema)).map(([name]) => name)
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...more }
  },
  Optional(schema: Schema): Schema {
    const own = { ...schema }
    optionals.add(own)
    return own
  },
}

export const Type = made as unknown as Pick<typeof TypeBox, keyof typeof made>
