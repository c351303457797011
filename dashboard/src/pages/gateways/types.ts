// The kinds of gateways that can be connected: what each asks for. Where to find it is in the words.

import type { Me } from '../../../../server/src/console/contract/me.ts'

export const gatewayTypes = ['stripe', 'braintree', 'test'] as const
export type GatewayType = (typeof gatewayTypes)[number]

export interface Credential {
  readonly name: string
  readonly isSecret?: boolean
  readonly isOptional?: boolean
  /** Lines of a currency and an id. */
  readonly isByCurrency?: boolean
  /** A stand-in on this machine: where no money is real. */
  readonly isForSandbox?: boolean
}

const credentials: { readonly [type in GatewayType]: readonly Credential[] } = {
  stripe: [
    { name: 'secret_key', isSecret: true },
    { name: 'publishable_key' },
    { name: 'webhook_secret', isSecret: true, isOptional: true },
    { name: 'api_base', isOptional: true, isForSandbox: true },
  ],
  braintree: [
    { name: 'merchant_id' },
    { name: 'public_key' },
    { name: 'private_key', isSecret: true },
    { name: 'merchant_accounts', isOptional: true, isByCurrency: true },
    { name: 'api_base', isOptional: true, isForSandbox: true },
  ],
  test: [{ name: 'url', isOptional: true, isForSandbox: true }],
}

/** The built-in sandbox has no place where money is real. */
export function typesIn(mode: Me['mode']): readonly GatewayType[] {
  return mode === 'live' ? gatewayTypes.filter(type => type !== 'test') : gatewayTypes
}

export function credentialsOf(type: GatewayType, mode: Me['mode']): readonly Credential[] {
  return credentials[type].filter(({ isForSandbox = false }) => !isForSandbox || mode === 'sandbox')
}

export function asType(type: string): GatewayType | null {
  return gatewayTypes.find(known => known === type) ?? null
}

/** As REST takes them: what is empty stays out, so that a change leaves it as it is. */
export function credentialsFrom(
  type: GatewayType,
  mode: Me['mode'],
  typed: { readonly [name: string]: string },
): { readonly [name: string]: unknown } {
  const given = credentialsOf(type, mode).flatMap(({ name, isByCurrency = false }) => {
    const text = (typed[name] ?? '').trim()
    if (text === '') return []
    return [[name, isByCurrency ? byCurrency(text) : text] as const]
  })
  const environment = mode === 'live' ? 'production' : 'sandbox'
  return { ...Object.fromEntries(given), ...(type === 'braintree' && { environment }) }
}

/** `EUR shop_eur`, a line for each. */
function byCurrency(text: string): { readonly [currency: string]: string } {
  const lines = text.split('\n').map(line => line.trim().split(/[\s=:]+/))
  return Object.fromEntries(
    lines.filter(([currency]) => currency).map(([currency = '', id = '']) => [currency.toUpperCase(), id]),
  )
}
