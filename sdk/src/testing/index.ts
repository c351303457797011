// For an application's own tests: hooks as the service would send them, signed with whatever key the application is tested with.

import { isObject } from '../known-fields.ts'
import { hookBody, signDetails } from '../sign.ts'
import { type SampleDetails, type SampleName, samples } from './samples.ts'

export { type SampleDetails, type SampleName, samples } from './samples.ts'

export type Overrides<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: Overrides<Value[Name]> | undefined }
    : Value

/** A sample with some of it replaced; objects inside are merged. */
export function sample<Name extends SampleName>(
  name: Name,
  overrides: Overrides<SampleDetails<Name>> = {} as Overrides<SampleDetails<Name>>,
): SampleDetails<Name> {
  if (!Object.hasOwn(samples, name))
    throw new TypeError(`There is no sample "${name}": it must be one of ${Object.keys(samples).join(', ')}.`)
  return merged(samples[name], overrides) as SampleDetails<Name>
}

function merged(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over
  const replaced = Object.entries(over).map(([name, value]) => [name, merged(base[name], value)])
  return { ...base, ...Object.fromEntries(replaced) }
}

/** What `fetch` takes beside the URL. */
export interface SignedHook {
  readonly method: 'POST'
  readonly headers: { readonly 'content-type': 'application/x-www-form-urlencoded' }
  readonly body: string
  readonly details: string
  readonly signature: string
}

/** Details as an object, or as the very text that is to be signed. */
export function signHook(details: object | string, privateKey: string): SignedHook {
  const text = typeof details === 'string' ? details : JSON.stringify(details)
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: hookBody(text, privateKey),
    details: text,
    signature: signDetails(text, privateKey),
  }
}
