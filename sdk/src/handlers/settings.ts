// What an application says once about a route for hooks: its key, what comes there, and what is to be done.

import type { ErrorHook, FarHook, FarOrErrorHook, Hook, PreSaleHook, TransactionHook, UpdateHook } from '../hook.ts'
import { hookKinds, isHookKind } from '../hook.ts'
import type { HookKind } from '../hook-schemas.ts'
import { isObject } from '../known-fields.ts'
import { type PrivateKeys, privateKeysOf } from '../private-keys.ts'
import { reportError } from '../report-error.ts'

/** `stop` is a reason for people: it is kept with the Transaction as evidence. */
export type PreSaleAnswer = boolean | { readonly ok: true } | { readonly stop: string }

/** What is done with each kind. Answers are sent when it resolves; where it throws, the hook is sent again. */
export interface HookCallbacks {
  /** `true` or `{ ok: true }`: charge. `false` or `{ stop: 'why' }`: do not. To throw is an error, and no charge either. */
  readonly pre_sale?: (hook: PreSaleHook) => PreSaleAnswer | Promise<PreSaleAnswer>
  readonly transaction?: (hook: TransactionHook) => unknown
  readonly far?: (hook: FarHook) => unknown
  readonly error?: (hook: ErrorHook) => unknown
  /** On a route for `generic`, where the two cannot be told apart. */
  readonly far_or_error?: (hook: FarOrErrorHook) => unknown
  readonly update?: (hook: UpdateHook) => unknown
}

export interface HookSettings {
  /** The merchant's Private Key; several, while one is being replaced; a function, where it is only there later. */
  readonly privateKey: PrivateKeys | (() => PrivateKeys)
  readonly on: HookCallbacks
  /**
   * The kind of the endpoint. Without it, the route says it, by its parameter `kind` or by the last part of its path; where neither
   * names a kind, it is that of the only callback.
   */
  readonly kind?: HookKind
  /** Is given what does not verify (a HookError) and what callbacks throw. Without it, the console is. */
  readonly onError?: (error: unknown) => unknown
}

export interface CheckedSettings {
  readonly keys: () => readonly string[]
  readonly on: HookCallbacks
  /** As it was said; null: the route says it. */
  readonly kind: HookKind | null
  /** For routes that name no kind; null: there are several callbacks. */
  readonly kindOfOnly: HookKind | null
  readonly onError: (error: unknown) => unknown
}

/** What cannot work throws when the application starts, not when the first hook comes. */
export function checkedSettings({ privateKey, on, kind, onError }: HookSettings): CheckedSettings {
  const names = callbackNames(on)
  if (kind !== undefined && !(hookKinds as readonly unknown[]).includes(kind))
    throw new TypeError(`kind must be one of ${hookKinds.join(', ')}.`)
  if (onError !== undefined && typeof onError !== 'function') throw new TypeError('onError must be a function.')
  if (kind !== undefined) checkCallbacks(kind, names)
  const kindOfOnly = names.length === 1 ? routeFor(names[0] ?? '') : null
  const given = { on, kind: kind ?? null, kindOfOnly, onError: onError ?? reportError }
  if (typeof privateKey === 'function') return { ...given, keys: () => privateKeysOf(privateKey()) }
  const keys = privateKeysOf(privateKey)
  return { ...given, keys: () => keys }
}

const allCallbacks: { readonly [Name in keyof Required<HookCallbacks>]: true } = {
  pre_sale: true,
  transaction: true,
  far: true,
  error: true,
  update: true,
  far_or_error: true,
}

/** A name that is mistyped would be a handler that answers 404, and a Pre-Sale that stops each sale. */
function callbackNames(on: unknown): readonly Hook['kind'][] {
  if (!isObject(on)) throw new TypeError('on must be an object of callbacks, such as on: { transaction }.')
  const given = Object.entries(on).filter(([, callback]) => callback !== undefined)
  for (const [name, callback] of given) {
    if (!Object.hasOwn(allCallbacks, name))
      throw new TypeError(`on.${name} is no callback. There are ${Object.keys(allCallbacks).join(', ')}.`)
    if (typeof callback !== 'function') throw new TypeError(`on.${name} must be a function.`)
  }
  if (given.length === 0) throw new TypeError('on has no callback: give at least one, such as on: { transaction }.')
  return given.map(([name]) => name as Hook['kind'])
}

function routeFor(name: string): HookKind | null {
  if (name === 'far_or_error') return 'generic'
  return isHookKind(name) ? name : null
}

/** The kinds that a route hands on. */
export function kindsOfRoute(route: HookKind): readonly Hook['kind'][] {
  return route === 'generic' ? ['transaction', 'far_or_error'] : [route]
}

function checkCallbacks(route: HookKind, names: readonly Hook['kind'][]): void {
  const kinds = kindsOfRoute(route)
  const idle = names.find(name => !kinds.includes(name))
  if (idle === undefined) return
  throw new TypeError(`on.${idle} would never be called: a route for ${route} only has ${kinds.join(' and ')}.`)
}
