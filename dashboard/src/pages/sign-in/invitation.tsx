import type { Me } from '../../../../server/src/console/contract/me.ts'
import type { LinkRecord } from '../../../../server/src/console/contract/people.ts'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Outside } from '../../shell/outside.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { MailedLink, PasswordForm } from './mailed-link.tsx'
import { useEntering } from './use-signing-in.ts'
import { words } from './words.ts'

export function InvitationPage() {
  const say = useWords(words)
  return (
    <MailedLink kind="invitation" title={say.invitationTitle}>
      {(found, link) => <Invitation found={found} link={link} />}
    </MailedLink>
  )
}

function Invitation({ found, link }: { readonly found: LinkRecord; readonly link: string }) {
  const say = useWords(words)
  const { language } = useLanguage()
  const enter = useEntering()
  const accept = useChange((password: string) =>
    ask<{ me: Me }>('invitations/acceptance', { method: 'POST', json: { link, password, language } }),
  )
  const choose = async (password: string) => {
    const asked = await accept.run(password)
    if (asked.ok) enter(asked.body.me)
  }
  return (
    <Outside
      title={say.invitationTitle}
      lead={say.invitationLead(found.merchant_name, found.email, say.asRole[found.role ?? 'viewer'])}
    >
      <PasswordForm
        email={found.email}
        action={say.invitationAction}
        isRunning={accept.isRunning}
        refused={accept.refused}
        onChoose={choose}
      />
    </Outside>
  )
}
