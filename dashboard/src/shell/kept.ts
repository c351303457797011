// What this browser keeps of how a person likes the dashboard. A browser that keeps nothing is no failure.

type Name = 'theme' | 'language'

export function kept(name: Name): string | null {
  try {
    return localStorage.getItem(`tillbell.${name}`)
  } catch {
    return null
  }
}

export function keep(name: Name, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`tillbell.${name}`)
    else localStorage.setItem(`tillbell.${name}`, value)
  } catch {
    // It holds for this visit then.
  }
}
