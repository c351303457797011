import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useId } from 'react'
import { ask } from '../ask/ask.ts'
import { useMe } from '../ask/me.tsx'
import { useChange } from '../ask/use-change.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuButton, MenuLine, menuEntry } from '../parts/menu.tsx'
import { type Language, languages, useLanguage, useWords } from '../words/language.tsx'
import { tellOtherTabs } from './other-tabs.ts'
import { leaveSignedOut } from './signed-out.ts'
import { type Theme, themes, useTheme } from './theme.tsx'
import { words } from './words.ts'

export function PersonMenu() {
  const me = useMe()
  const say = useWords(words)
  return (
    <Menu
      buttonClassName="flex items-center gap-1 rounded-full p-0.5 pr-1 text-soft hover:bg-hover hover:text-ink"
      button={
        <>
          <span className="sr-only">{say.person(me.email)}</span>
          <span
            aria-hidden="true"
            className="grid size-8 place-items-center rounded-full bg-accent-wash font-semibold text-accent uppercase"
          >
            {me.email.slice(0, 1)}
          </span>
          <Icon name="down" className="size-4" />
        </>
      }
    >
      <div className="px-2.5 py-1.5">
        <p className="max-w-64 truncate font-medium">{me.email}</p>
        <p className="text-soft">{say.roles[me.role]}</p>
      </div>
      <MenuLine />
      <Link to="/account" data-entry="" className={menuEntry}>
        <Icon name="team" />
        {say.pages.account}
      </Link>
      <MenuLine />
      <Choice label={say.theme} {...useThemeChoice()} />
      <Choice label={say.language} {...useLanguageChoice()} />
      <MenuLine />
      <SignOut />
    </Menu>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly choose: (value: string) => void
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  const id = useId()
  return (
    <div className="flex items-center justify-between gap-4 px-2.5 py-1">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={event => choose(event.currentTarget.value)}
        className="h-8 rounded-md border border-edge bg-surface px-2"
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

function useThemeChoice() {
  const say = useWords(words)
  const { theme, choose } = useTheme()
  const options = themes.map(value => ({ value, label: say.themes[value] }))
  return { value: theme, options, choose: (value: string) => choose(value as Theme) }
}

const names: { readonly [language in Language]: string } = { en: 'English', es: 'Español' }

function useLanguageChoice() {
  const { language, choose } = useLanguage()
  const options = languages.map(value => ({ value, label: names[value] }))
  return { value: language, options, choose: (value: string) => choose(value as Language) }
}

function SignOut() {
  const say = useWords(words)
  const queries = useQueryClient()
  const router = useRouter()
  const signOut = useChange(() => ask('session', { method: 'DELETE' }))
  const leave = async () => {
    const asked = await signOut.run()
    // 401: the session is over already.
    if (!asked.ok && asked.status !== 401) return
    tellOtherTabs('signed out')
    await leaveSignedOut(router, queries)
  }
  return (
    <MenuButton onClick={leave} disabled={signOut.isRunning} icon={<Icon name="out" />}>
      {say.signOut}
    </MenuButton>
  )
}
