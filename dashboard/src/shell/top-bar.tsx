import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useMe } from '../ask/me.tsx'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { PersonMenu } from './person-menu.tsx'
import { PhoneMenu } from './phone-menu.tsx'
import { words } from './words.ts'

export function TopBar() {
  const { merchant } = useMe()
  return (
    <header className="flex h-14 items-center gap-2 border-b border-line bg-surface px-2 sm:gap-4 sm:px-6 lg:px-8">
      <PhoneMenu />
      <p className="mr-auto min-w-0 truncate font-medium">{merchant.name}</p>
      <Search />
      <PersonMenu />
    </header>
  )
}

export const searchId = 'search-transactions'

function Search() {
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
    <search className="relative hidden sm:block">
      <form onSubmit={search}>
        <Icon name="search" className="pointer-events-none absolute top-2 left-2.5 text-soft" />
        <input
          id={searchId}
          type="search"
          name="q"
          aria-label={say.search}
          placeholder={say.searchHint}
          autoComplete="off"
          className="peer h-8.5 w-56 rounded-md border border-edge/60 bg-page pr-8 pl-8.5 placeholder:text-soft focus-visible:outline-offset-0 lg:w-72"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-1.5 right-2 rounded border border-line bg-surface px-1.5 font-sans text-xs leading-5 text-soft peer-focus:hidden"
        >
          /
        </span>
      </form>
    </search>
  )
}
