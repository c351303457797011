// What was done, said in passing. Errors are not said so: they stay where they belong until they are mended.

import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { Icon } from './icon.tsx'
import { words } from './words.ts'

const shownForMs = 6_000

const ToastContext = createContext<(sentence: string) => void>(() => {})

/** `const toast = useToast()`, then `toast('Refunded $10.00.')` */
export function useToast(): (sentence: string) => void {
  return use(ToastContext)
}

interface Toast {
  readonly id: number
  readonly sentence: string
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toast, setToast] = useState<Toast | null>(null)
  const count = useRef(0)
  const say = useWords(words)
  const show = useCallback((sentence: string) => {
    count.current += 1
    setToast({ id: count.current, sentence })
  }, [])
  useEffect(() => {
    if (toast === null) return
    const timer = setTimeout(() => setToast(null), shownForMs)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <ToastContext value={show}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex justify-center sm:justify-end"
      >
        {toast !== null && (
          <div
            key={toast.id}
            className="pointer-events-auto flex max-w-md items-center gap-2.5 rounded-lg border border-line bg-raised py-2 pr-1.5 pl-3.5 shadow-raised"
          >
            <Icon name="check" className="text-good" />
            <span className="min-w-0">{toast.sentence}</span>
            <button
              type="button"
              aria-label={say.dismiss}
              className="rounded p-1 text-soft hover:bg-hover hover:text-ink"
              onClick={() => setToast(null)}
            >
              <Icon name="close" className="size-4" />
            </button>
          </div>
        )}
      </div>
    </ToastContext>
  )
}
