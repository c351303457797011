// Whose account at Stripe credentials open.

import type { Identified } from '../type.ts'
import { type Caller, type CallerOptions, createCaller } from './client.ts'
import { provenBy } from './outcomes.ts'
import { nameOf } from './refund.ts'

export async function identifyAccount(credentials: CallerOptions, signal: AbortSignal): Promise<Identified> {
  const caller = createCaller(credentials)
  try {
    return await accountOf(caller, signal)
  } finally {
    caller.close()
  }
}

async function accountOf(caller: Caller, signal: AbortSignal): Promise<Identified> {
  const called = await caller.call(stripe => stripe.accounts.retrieveCurrent(), signal)
  const account = called.kind === 'ok' ? nameOf(called.value) : null
  if (account !== null && /^acct_\w+$/.test(account)) return { kind: 'account', account }
  if (called.kind === 'refused' && called.status === 401) {
    return { kind: 'refused', says: 'are not accepted by Stripe.' }
  }
  const proven = called.kind === 'refused' ? provenBy(called) : null
  if (proven?.kind === 'not_sent' && proven.code === 'gateway_account_suspended') {
    return { kind: 'refused', says: 'lead to an account that Stripe has suspended or rejected.' }
  }
  if (called.kind === 'refused' && called.status === 403) {
    return { kind: 'refused', says: 'have a secret_key that may not read its own account at Stripe: allow it to.' }
  }
  return { kind: 'unknown', sentence: 'Stripe could not be asked whose account it is.' }
}
