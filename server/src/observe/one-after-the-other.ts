// Work that is heavy and that somebody may ask for in many ways at once: of each name, one is done at a time.

export function oneAfterTheOther() {
  const last = new Map<string, Promise<unknown>>()
  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
