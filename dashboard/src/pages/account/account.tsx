import type { AccountRecord } from '../../../../server/src/console/contract/people.ts'
import { useMe } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { words as shellWords } from '../../shell/words.ts'
import { useWords } from '../../words/language.tsx'
import { PasswordCard } from './password-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { words } from './words.ts'

export function AccountPage() {
  const say = useWords(words)
  const { roles } = useWords(shellWords)
  const me = useMe()
  const shown = useAsked<{ account: AccountRecord }>('account')
  return (
    <>
      <PageHead title={say.title} lead={say.lead(me.email, roles[me.role])} />
      <Loaded shown={shown}>
        {({ account }) => (
          <div className="grid gap-6 lg:grid-cols-2">
            <PasswordCard changedAt={account.password_changed_at} />
            <SecondFactorCard factor={account.second_factor} />
            <SessionsCard />
            <PreferencesCard />
          </div>
        )}
      </Loaded>
    </>
  )
}
