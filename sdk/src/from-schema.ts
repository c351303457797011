// The type of what a JSON Schema accepts. It knows the keywords that our schemas use and no others. A union of schemas gives
// the union of their types, because a conditional type takes the members of a union one by one.

export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] }
      ? FromSchema<One>
      : Schema extends { readonly type: readonly (infer Name)[] }
        ? OfType<Name, Schema>
        : Schema extends { readonly type: infer Name }
          ? OfType<Name, Schema>
          : unknown

type OfType<Name, Schema> = Name extends keyof PlainTypes
  ? PlainTypes[Name]
  : Name extends 'array'
    ? readonly FromSchema<Schema extends { readonly items: infer Items } ? Items : unknown>[]
    : Name extends 'object'
      ? ObjectFrom<Schema>
      : never

interface PlainTypes {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

type ObjectFrom<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { readonly [Name in keyof Properties & RequiredOf<Schema>]: FromSchema<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?: FromSchema<Properties[Name]>
      }
    >
  : {
      readonly [name: string]: Schema extends { readonly additionalProperties: infer Values }
        ? FromSchema<Values>
        : unknown
    }

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never

/** One object instead of an intersection: what an editor shows is what there is. */
type Flat<Members> = { [Name in keyof Members]: Members[Name] }
