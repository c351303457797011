import type { ReactNode } from 'react'
import { PageHead } from '../../parts/page-head.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface SettingsPageProps {
  readonly lead: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The head that the tabs of API settings share. */
export function SettingsPage({ lead, actions, children }: SettingsPageProps) {
  const say = useWords(words)
  const tabs = [
    { to: '/api-settings', label: say.endpoints },
    { to: '/api-settings/keys', label: say.keys },
    { to: '/api-settings/private-key', label: say.privateKey },
    { to: '/api-settings/snippets', label: say.snippets },
  ] as const
  return (
    <>
      <PageHead title={say.title} lead={lead} actions={actions} />
      <Tabs label={say.tabs} tabs={tabs} />
      {children}
    </>
  )
}
