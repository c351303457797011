/** The object that a hook's `details` are; null: they are none. */
export function parsedDetails(details: string): { readonly [name: string]: unknown } | null {
  try {
    const parsed: unknown = JSON.parse(details)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : null
  } catch {
    return null
  }
}
