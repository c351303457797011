// A verified notification, as an application sees it. Field names inside `details` are the interface's own.
//
// route: the kind of endpoint that a hook came to. kind: what it is, as far as the route and `type` together say.

import type { HookDetails, HookKind, HookType } from './hook-schemas.ts'

interface Verified<Kind extends string, Details> {
  readonly kind: Kind
  /** The endpoint's kind, as the application said; null: it did not. */
  readonly route: HookKind | null
  /**
   * Without fields that the interface does not know. The types say what Tillbell always sends. Where a sender leaves a field out, it
   * is null if it may be null, and missing otherwise.
   */
  readonly details: Details
  /** "Send a test" made it: ship nothing, book nothing. */
  readonly isTest: boolean
  /** The same for every attempt and resend, also under another key: SHA-256 of `details` as it was sent. */
  readonly id: string
  /** `details` as it was sent and signed. */
  readonly detailsText: string
  readonly signature: string
  /** Which of the given keys verified it, from 0: when the old one no longer does, it can go. */
  readonly keyIndex: number
}

/** Examples of the interface have `type` of FAR and Error crossed, so neither says anything for sure. */
type Crossed<Details> = Omit<Details, 'type'> & { readonly type: 'far' | 'error' }

export type PreSaleHook = Verified<'pre_sale', HookDetails<'pre_sale'>>
export type TransactionHook = Verified<'transaction', HookDetails<'transaction'>>
export type FarHook = Verified<'far', Crossed<HookDetails<'far'>>>
export type ErrorHook = Verified<'error', Crossed<HookDetails<'error'>>>
/** On a generic route the two cannot be told apart. `further_action` says whether the customer can still act. */
export type FarOrErrorHook = Verified<'far_or_error', Crossed<HookDetails<'error'>>>
export type UpdateHook = Verified<'update', HookDetails<'update'>>

export type NotificationHook = TransactionHook | FarHook | ErrorHook | FarOrErrorHook | UpdateHook
export type Hook = PreSaleHook | NotificationHook

/** Without a route nothing tells FAR and Error apart. */
export type UnroutedHook = Exclude<Hook, FarHook | ErrorHook>

/** What comes to an endpoint of this kind. */
export interface HookOfRoute {
  readonly pre_sale: PreSaleHook
  readonly transaction: TransactionHook
  readonly far: FarHook
  readonly error: ErrorHook
  readonly generic: TransactionHook | FarOrErrorHook
  readonly update: UpdateHook
}

/** The `type`s that come to an endpoint of this kind. */
export const typesOfRoute: { readonly [Route in HookKind]: readonly HookType[] } = {
  pre_sale: ['pre_sale'],
  transaction: ['success'],
  far: ['far', 'error'],
  error: ['error', 'far'],
  generic: ['success', 'far', 'error'],
  update: ['refund', 'void', 'dispute'],
}

/** Where the route does not say what it is, `type` does, as far as it can. */
export const kindOfType: { readonly [Type in HookType]: Exclude<Hook['kind'], 'far' | 'error'> } = {
  pre_sale: 'pre_sale',
  success: 'transaction',
  far: 'far_or_error',
  error: 'far_or_error',
  refund: 'update',
  void: 'update',
  dispute: 'update',
}

export const hookKinds = Object.keys(typesOfRoute) as readonly HookKind[]

export function isHookKind(text: string): text is HookKind {
  return Object.hasOwn(typesOfRoute, text)
}

/** The kind that a part of a URL names: `presale`, as examples of the interface have it, is one, and so is `Pre-Sale`. */
export function kindNamedBy(text: string): HookKind | null {
  const name = text.toLowerCase().replace(/^pre-?sale$/, 'pre_sale')
  return isHookKind(name) ? name : null
}
