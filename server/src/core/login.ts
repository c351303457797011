// login: a person of the merchant's, who comes in by the dashboard with email and password.

export const roles = ['viewer', 'developer', 'owner'] as const
/**
 * Each may do what those before it may. A viewer looks; a developer may also do all that an API key may; an owner alone decides
 * on people, on the Private Key and on what is in doubt.
 */
export type Role = (typeof roles)[number]

export function mayDo(role: Role, needs: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needs)
}

export const languages = ['en', 'es'] as const
export type Language = (typeof languages)[number]
