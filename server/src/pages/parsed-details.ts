/** A hook of ours is no deeper, with `custom_data` of 32. Shown with indents, the depth counts twice: 6 KB of brackets become 26 MB. */
const depthMax = 40

/** The object that a hook's `details` are; null: they are none, or nobody would read them. */
export function parsedDetails(details: string): { readonly [name: string]: unknown } | null {
  try {
    const parsed: unknown = JSON.parse(details)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    return isDeeper(parsed, depthMax) ? null : { ...parsed }
  } catch {
    return null
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(each => isDeeper(each, depth - 1))
}
