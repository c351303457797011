// Who is signed in. Inside the shell it is always known.

import { createContext, use } from 'react'
import type { Me, Role } from '../../../server/src/console/contract/me.ts'

export const MeContext = createContext<Me | null>(null)

export function useMe(): Me {
  const me = use(MeContext)
  if (me === null) throw new Error('a part outside the shell asked who is signed in')
  return me
}

const roles: readonly Role[] = ['viewer', 'developer', 'owner']

/** Whether the person may do what needs this role. The server decides; this is for what a page offers. */
export function useMay(needs: Role): boolean {
  return may(useMe().role, needs)
}

export function may(role: Role, needs: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needs)
}
