// A button that opens a menu: a popover of the browser's own, which Esc and a click outside close. Its entries are buttons
// and links in a list, reached by Tab: that needs no roles, and no handling of arrow keys.

import { type ReactNode, type ToggleEvent, useId, useRef } from 'react'
import { classes } from './classes.ts'

interface MenuProps {
  readonly label?: string
  /** What is on the button. */
  readonly button: ReactNode
  readonly buttonClassName: string
  readonly children: ReactNode
}

export function Menu({ label, button, buttonClassName, children }: MenuProps) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    const isOpen = event.newState === 'open'
    opener.current?.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) placeBelow(opener.current, list.current)
  }
  return (
    <>
      <button
        ref={opener}
        type="button"
        popoverTarget={id}
        aria-label={label}
        aria-expanded="false"
        className={buttonClassName}
      >
        {button}
      </button>
      {/* biome-ignore lint/a11y: a click on an entry also closes the menu; the entries are the controls */}
      <div
        ref={list}
        id={id}
        popover="auto"
        onToggle={place}
        onClick={event => (event.target as Element).closest('[data-entry]') !== null && list.current?.hidePopover()}
        className="fixed m-0 min-w-48 rounded-lg border border-line bg-raised p-1 text-ink shadow-raised"
      >
        {children}
      </div>
    </>
  )
}

const gapPx = 4

/** Under its button, and inside the window. */
function placeBelow(opener: HTMLElement | null, list: HTMLElement | null): void {
  if (opener === null || list === null) return
  const at = opener.getBoundingClientRect()
  const { width, height } = list.getBoundingClientRect()
  const left = Math.max(gapPx, Math.min(at.right - width, window.innerWidth - width - gapPx))
  const below = at.bottom + gapPx
  const top = below + height > window.innerHeight ? Math.max(gapPx, at.top - height - gapPx) : below
  Object.assign(list.style, { left: `${left}px`, top: `${top}px` })
}

/** For the links in a menu. With `data-entry` a click closes the menu. */
export const menuEntry =
  'flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left hover:bg-hover disabled:opacity-60 focus-visible:-outline-offset-2'

interface MenuButtonProps {
  readonly onClick: () => void
  readonly danger?: boolean
  readonly icon?: ReactNode
  readonly disabled?: boolean
  readonly children: ReactNode
}

export function MenuButton({ onClick, danger = false, icon, disabled = false, children }: MenuButtonProps) {
  return (
    <button
      type="button"
      data-entry=""
      disabled={disabled}
      onClick={onClick}
      className={classes(menuEntry, danger && 'text-bad')}
    >
      {icon}
      {children}
    </button>
  )
}

export function MenuLine() {
  return <hr className="-mx-1 my-1 border-line" />
}
