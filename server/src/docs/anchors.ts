// The names of headings, as those who host Markdown write them: a link to a heading works in the file and on the page.

/** Makes names for the headings of one page, in their order: the second of the same name gets a number. */
export function anchorMaker(): (heading: string) => string {
  const times = new Map<string, number>()
  return heading => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\p{Mark} _-]/gu, '')
      .replaceAll(' ', '-')
    const before = times.get(name) ?? 0
    times.set(name, before + 1)
    return before === 0 ? name : `${name}-${before}`
  }
}
