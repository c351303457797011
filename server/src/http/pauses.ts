// Pauses that all end at once when the service stops.

export interface Pauses {
  pause(ms: number): Promise<void>
  /** Those that are under way end now, and there are no more. */
  end(): void
}

export function createPauses(): Pauses {
  const ends = new Set<() => void>()
  let isOver = false
  return {
    pause(ms) {
      if (isOver) return Promise.resolve()
      return new Promise(resolve => {
        const end = () => {
          clearTimeout(timer)
          ends.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        ends.add(end)
      })
    },
    end() {
      isOver = true
      for (const end of ends) end()
    },
  }
}
