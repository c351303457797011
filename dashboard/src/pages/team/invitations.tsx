import type { InvitationRecord, InvitationSent } from '../../../../server/src/console/contract/people.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useChange } from '../../ask/use-change.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Refusal } from '../../parts/failure.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { words as shellWords } from '../../shell/words.ts'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface InvitationsProps {
  readonly invitations: readonly InvitationRecord[]
  readonly onPassOn: (sent: InvitationSent) => void
}

export function Invitations({ invitations, onPassOn }: InvitationsProps) {
  const say = useWords(words)
  const { roles } = useWords(shellWords)
  const isOwner = useMay('owner')
  const columns: Column<InvitationRecord>[] = [
    { name: say.person, cell: row => row.email, grows: true },
    { name: say.role, cell: row => roles[row.role] },
    { name: say.invitedBy, cell: row => row.invited_by },
    {
      name: say.expires,
      cell: row => (row.is_expired ? <Badge tone="waits">{say.expired}</Badge> : <When at={row.expires_at} />),
    },
  ]
  const actions: Column<InvitationRecord> = {
    name: say.actions,
    hideName: true,
    end: true,
    cell: row => <Actions invitation={row} onPassOn={onPassOn} />,
  }
  return (
    <Card title={say.invitations} flush>
      <Table
        caption={say.invitations}
        columns={isOwner ? [...columns, actions] : columns}
        rows={invitations}
        keyOf={row => row.email}
      />
    </Card>
  )
}

interface ActionsProps {
  readonly invitation: InvitationRecord
  readonly onPassOn: InvitationsProps['onPassOn']
}

function Actions({ invitation: { email }, onPassOn }: ActionsProps) {
  const say = useWords(words)
  const toast = useToast()
  const path = `team/invitations/${encodeURIComponent(email)}`
  const again = useChange(() => ask<{ invitation: InvitationSent }>(`${path}/again`, { method: 'POST' }), ['team'])
  const revoke = useChange(() => ask(path, { method: 'DELETE' }), ['team'])
  const sendAgain = async () => {
    const asked = await again.run()
    if (!asked.ok) return
    if (asked.body.invitation.link === null) toast(say.sent(email))
    else onPassOn(asked.body.invitation)
  }
  const end = async () => {
    if ((await revoke.run()).ok) toast(say.revoked)
  }
  return (
    <div>
      <span className="inline-flex gap-2">
        <Button small aria-label={say.sendAgainTo(email)} pending={again.isRunning} onClick={sendAgain}>
          {say.sendAgain}
        </Button>
        <Button small aria-label={say.revokeOf(email)} pending={revoke.isRunning} onClick={end}>
          {say.revoke}
        </Button>
      </span>
      <Refusal refused={again.refused ?? revoke.refused} />
    </div>
  )
}
