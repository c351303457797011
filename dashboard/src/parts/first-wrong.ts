// In a long form what is wrong may be far above the button that was pressed, or folded away.

/** The first wrong field of a form takes the focus, and so comes into view. */
export function focusFirstWrong(form: Element | null): boolean {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid=true]') ?? null
  if (wrong === null) return false
  for (let at = wrong.closest('details'); at !== null; at = at.parentElement?.closest('details') ?? null) at.open = true
  wrong.focus()
  return true
}

/** After a refusal, which `box` says: a field, or else the sentence itself. */
export function showWhatIsWrong(box: Element | null): void {
  if (!focusFirstWrong(box?.closest('form') ?? null)) box?.scrollIntoView({ block: 'nearest' })
}
