import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { words } from './words.ts'

/** The one that `/` leads to. */
export const searchId = 'search-transactions'

/** Opens the list of transactions with what it found. */
export function Search({ id }: { readonly id?: string }) {
  const say = useWords(words)
  const navigate = useNavigate()
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget).get('q') ?? '').trim()
    if (q === '') return
    event.currentTarget.reset()
    void navigate({ to: '/transactions', search: { q } as never })
  }
  return (
    <search className="relative block">
      <form onSubmit={search}>
        <Icon name="search" className="pointer-events-none absolute top-2 left-2.5 text-soft" />
        <input
          id={id}
          type="search"
          name="q"
          aria-label={say.search}
          placeholder={say.searchHint}
          autoComplete="off"
          className="peer h-8.5 w-full rounded-md border border-edge/60 bg-page pr-8 pl-8.5 placeholder:text-soft focus-visible:outline-offset-0 sm:w-56 lg:w-72"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-1.5 right-2 rounded border border-line bg-surface px-1.5 font-sans text-xs leading-5 text-soft peer-focus:hidden pointer-coarse:hidden"
        >
          /
        </span>
      </form>
    </search>
  )
}
