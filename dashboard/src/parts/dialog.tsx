// The browser's own dialog: it keeps the focus inside, gives it back, and closes on Esc.

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Refused } from '../ask/ask.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Notice, Refusal } from './failure.tsx'
import { Icon } from './icon.tsx'
import { words } from './words.ts'

interface DialogProps {
  readonly title: ReactNode
  readonly onClose: () => void
  readonly wide?: boolean
  /** What would be lost: Esc and the cross ask first then, and only a button of the dialog's closes it at once. */
  readonly lost?: string
  readonly children: ReactNode
}

/** Open for as long as it is rendered: `{isOpen && <Dialog … />}`. */
export function Dialog({ title, onClose, wide = false, lost, children }: DialogProps) {
  const id = useId()
  const say = useWords(words)
  const dialog = useRef<HTMLDialogElement>(null)
  const [isAsking, setAsking] = useState(false)
  const leave = () => (lost === undefined ? onClose() : setAsking(true))
  useEffect(() => {
    const opened = dialog.current
    // The one who opened it has the focus again when it closes: React takes the element away without closing it.
    const before = document.activeElement
    opened?.showModal()
    // Not at the cross above, where the browser begins: at the first field, or the button that does nothing.
    opened?.querySelector<HTMLElement>('[data-content] :is(input, select, textarea, button)')?.focus()
    return () => {
      opened?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        leave()
      }}
      // A second Esc closes it whatever we say: what must not be lost is opened again.
      onClose={event => {
        if (event.currentTarget.open) return
        if (lost !== undefined) event.currentTarget.showModal()
        leave()
      }}
      className={classes(
        'm-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] overflow-y-auto rounded-xl border border-line bg-raised text-ink shadow-raised backdrop:bg-black/50',
        wide ? 'max-w-2xl' : 'max-w-md',
      )}
    >
      <div className="flex items-start gap-4 px-6 pt-5">
        <h2 id={id} className="mr-auto min-w-0 text-lg font-semibold">
          {title}
        </h2>
        <button
          type="button"
          aria-label={say.close}
          onClick={leave}
          className="-mr-2 rounded-md p-1.5 text-soft hover:bg-hover hover:text-ink"
        >
          <Icon name="close" />
        </button>
      </div>
      <div data-content="" className="px-6 pt-3 pb-6">
        {children}
        {isAsking && (
          <div role="alert" className="mt-4">
            <Notice kind="bad">
              {lost}{' '}
              <Button small className="mt-1" onClick={onClose}>
                {say.closeAnyway}
              </Button>
            </Notice>
          </div>
        )}
      </div>
    </dialog>
  )
}

interface FormDialogProps extends DialogProps {
  /** On the button, as what it does: "Refund $10.00", never "OK". */
  readonly action: ReactNode
  readonly danger?: boolean
  readonly pending: boolean
  readonly disabled?: boolean
  readonly refused: Refused | null
  /** Fields that show their own errors. */
  readonly shown?: readonly string[]
  readonly meaning?: string | undefined
  readonly onSubmit: () => void
}

/** Asks for something and does it. A question alone has sentences as its children, and no fields. */
export function FormDialog(props: FormDialogProps) {
  const {
    action,
    danger = false,
    pending,
    disabled = false,
    refused,
    shown,
    meaning,
    onSubmit,
    children,
    ...dialog
  } = props
  const say = useWords(words)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!pending) onSubmit()
  }
  return (
    <Dialog {...dialog}>
      <form onSubmit={submit} noValidate className="space-y-4">
        {children}
        <Refusal refused={refused} shown={shown ?? []} meaning={meaning} />
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <Button onClick={dialog.onClose}>{say.cancel}</Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} pending={pending} disabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
