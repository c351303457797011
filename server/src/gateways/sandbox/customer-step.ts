// The customer's step at the sandbox: there is no bank, so a page of the service plays it.

import type { Gateway } from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'

export function challengeStep(
  sandbox: Pick<Gateway, 'lookup'>,
  challengeUrl: (operationId: OperationId, returnUrl: string) => string,
): NonNullable<Gateway['customerStep']> {
  return async (charge, returnUrl, signal) => {
    const found = await sandbox.lookup(charge, signal)
    switch (found.kind) {
      case 'further_action':
        return { kind: 'redirect', url: challengeUrl(charge.id, returnUrl) }
      case 'succeeded':
      case 'declined':
        return { kind: 'settled' }
      case 'absent':
        return { kind: 'unknown', cause: 'The sandbox does not know the charge.' }
      case 'unknown':
        return found
    }
  }
}
