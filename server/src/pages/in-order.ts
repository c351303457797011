// One write at a time, in the order of arrival: whoever reads on from the last one seen misses none. What arrives during a
// write goes into the next together, so that a slow disk delays each but a little.

export function inOrder<Item>(write: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let underWay: Promise<void> = Promise.resolve()
  let next: { readonly items: Item[]; readonly written: Promise<void> } | null = null
  return item => {
    next ??= begin([])
    next.items.push(item)
    return next.written
  }

  function begin(items: Item[]) {
    const written = underWay.then(() => {
      next = null
      return write(items)
    })
    underWay = written.catch(() => {}) // told to those who wait for it
    return { items, written }
  }
}
