// Looks into the database that many want at the same time, each by its key: whoever comes while one is under way shares it.

export function shareLooks<Asked, Answer>(
  keyOf: (asked: Asked) => string,
  look: (asked: Asked) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>()
  return asked => {
    const key = keyOf(asked)
    const known = underWay.get(key)
    if (known !== undefined) return known
    const looking = look(asked).finally(() => underWay.delete(key))
    underWay.set(key, looking)
    return looking
  }
}
