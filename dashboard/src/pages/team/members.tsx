import { useState } from 'react'
import type { Role } from '../../../../server/src/console/contract/me.ts'
import type { MemberRecord } from '../../../../server/src/console/contract/people.ts'
import { ask, type Refused } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useChange } from '../../ask/use-change.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { words as shellWords } from '../../shell/words.ts'
import { useWords } from '../../words/language.tsx'
import { RoleChoice } from './role-choice.tsx'
import { words } from './words.ts'

type Open = { readonly what: 'role' | 'remove'; readonly member: MemberRecord }

export function Members({ members }: { readonly members: readonly MemberRecord[] }) {
  const say = useWords(words)
  const [open, setOpen] = useState<Open | null>(null)
  const columns = useColumns(setOpen)
  const close = () => setOpen(null)
  return (
    <Card title={say.members} flush>
      <Table caption={say.members} columns={columns} rows={members} keyOf={row => row.email} />
      {open?.what === 'role' && <ChangeRole member={open.member} onClose={close} />}
      {open?.what === 'remove' && <Remove member={open.member} onClose={close} />}
    </Card>
  )
}

function useColumns(open: (what: Open) => void): readonly Column<MemberRecord>[] {
  const say = useWords(words)
  const { roles } = useWords(shellWords)
  const isOwner = useMay('owner')
  const columns: Column<MemberRecord>[] = [
    { name: say.person, cell: row => (row.is_you ? `${row.email} (${say.you})` : row.email), grows: true, wraps: true },
    { name: say.role, cell: row => roles[row.role] },
    {
      name: say.secondFactor,
      cell: row => <Badge tone={row.second_factor ? 'good' : 'plain'}>{row.second_factor ? say.on : say.off}</Badge>,
    },
    {
      name: say.lastSeen,
      cell: row => (row.seen_at === null ? say.notSignedIn : <When at={row.seen_at} relative real />),
    },
  ]
  if (!isOwner) return columns
  const actions: Column<MemberRecord> = {
    name: say.actions,
    hideName: true,
    end: true,
    cell: member => (
      <span className="inline-flex gap-2">
        <Button small aria-label={say.changeRoleOf(member.email)} onClick={() => open({ what: 'role', member })}>
          {say.changeRole}
        </Button>
        <Button small aria-label={say.removeOf(member.email)} onClick={() => open({ what: 'remove', member })}>
          {say.remove}
        </Button>
      </span>
    ),
  }
  return [...columns, actions]
}

interface MemberDialogProps {
  readonly member: MemberRecord
  readonly onClose: () => void
}

const pathOf = ({ email }: MemberRecord) => `team/members/${encodeURIComponent(email)}`

function ChangeRole({ member, onClose }: MemberDialogProps) {
  const say = useWords(words)
  const { roles } = useWords(shellWords)
  const toast = useToast()
  const [role, setRole] = useState<Role>(member.role)
  const change = useChange(() => ask(pathOf(member), { method: 'PATCH', json: { role } }), ['team', 'me'])
  const submit = async () => {
    if (!(await change.run()).ok) return
    toast(say.roleChanged(member.email, roles[role]))
    onClose()
  }
  return (
    <FormDialog
      title={say.changeRoleOf(member.email)}
      action={say.changeRole}
      pending={change.isRunning}
      refused={isLastOwner(change.refused) ? null : change.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <RoleChoice role={role} onChoose={setRole} />
      <LastOwner refused={change.refused} />
    </FormDialog>
  )
}

function Remove({ member, onClose }: MemberDialogProps) {
  const say = useWords(words)
  const toast = useToast()
  const remove = useChange(() => ask(pathOf(member), { method: 'DELETE' }), ['team'])
  const submit = async () => {
    if (!(await remove.run()).ok) return
    toast(say.removed(member.email))
    onClose()
  }
  return (
    <FormDialog
      title={say.removeTitle(member.email)}
      action={say.remove}
      danger
      pending={remove.isRunning}
      refused={isLastOwner(remove.refused) ? null : remove.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.removeSays}</p>
      <LastOwner refused={remove.refused} />
    </FormDialog>
  )
}

function isLastOwner(refused: Refused | null): boolean {
  return refused?.status === 409
}

function LastOwner({ refused }: { readonly refused: Refused | null }) {
  const say = useWords(words)
  return <div role="alert">{isLastOwner(refused) && <Notice kind="bad">{say.lastOwner}</Notice>}</div>
}
