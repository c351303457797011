// A button that was pressed may be gone once it has done its work. The keyboard goes on at the heading of the page then, not
// at the beginning of everything.

/** Returns how to stop. */
export function keepFocusOnThePage(): () => void {
  let last: Element | null = null
  const remember = () => {
    last = document.activeElement
  }
  const watch = new MutationObserver(() => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return
    last = null
    // What is open above the page has the focus, or takes it.
    if (document.querySelector('dialog:modal') === null) {
      document.querySelector<HTMLElement>('#content h1')?.focus({ preventScroll: true })
    }
  })
  document.addEventListener('focusin', remember)
  watch.observe(document.body, { childList: true, subtree: true })
  return () => {
    document.removeEventListener('focusin', remember)
    watch.disconnect()
  }
}
