import { useState } from 'react'
import type { InvitationSent, TeamRecord } from '../../../../server/src/console/contract/people.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { TableSkeleton } from '../../parts/table.tsx'
import { useWords } from '../../words/language.tsx'
import { Invitations } from './invitations.tsx'
import { Invite, PassOn } from './invite.tsx'
import { Members } from './members.tsx'
import { words } from './words.ts'

export function TeamPage() {
  const say = useWords(words)
  const isOwner = useMay('owner')
  const [isInviting, setInviting] = useState(false)
  const [toPassOn, setToPassOn] = useState<InvitationSent | null>(null)
  const shown = useAsked<{ team: TeamRecord }>('team')
  const invite = (
    <Button kind="primary" icon={<Icon name="plus" />} onClick={() => setInviting(true)}>
      {say.invite}
    </Button>
  )
  return (
    <>
      <PageHead
        title={say.title}
        lead={isOwner ? say.lead : `${say.lead} ${say.ownersOnly}`}
        {...(isOwner && { actions: invite })}
      />
      <Loaded shown={shown} waiting={<TableSkeleton columns={4} rows={3} />}>
        {({ team }) => (
          <div className="space-y-6">
            <Members members={team.members} />
            {team.invitations.length > 0 && <Invitations invitations={team.invitations} onPassOn={setToPassOn} />}
          </div>
        )}
      </Loaded>
      {isInviting && <Invite onPassOn={setToPassOn} onClose={() => setInviting(false)} />}
      {toPassOn !== null && <PassOn sent={toPassOn} onClose={() => setToPassOn(null)} />}
    </>
  )
}
