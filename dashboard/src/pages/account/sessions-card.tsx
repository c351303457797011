import { useState } from 'react'
import type { SessionRecord } from '../../../../server/src/console/contract/people.ts'
import { ask } from '../../ask/ask.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { useBrowserName } from './browser.tsx'
import { words } from './words.ts'

export function SessionsCard() {
  const say = useWords(words)
  const [isAsking, setAsking] = useState(false)
  const shown = useAsked<SessionRecord[]>('account/sessions')
  const hasOthers = shown.state === 'there' && shown.body.length > 1
  const columns = useColumns()
  return (
    <Card
      className="lg:col-span-2"
      title={say.sessions}
      lead={say.sessionsSays}
      actions={hasOthers && <Button onClick={() => setAsking(true)}>{say.endOthers}</Button>}
      flush
    >
      <Loaded shown={shown}>
        {rows => <Table caption={say.sessions} columns={columns} rows={rows} keyOf={row => row.id} />}
      </Loaded>
      {isAsking && <EndOthers onClose={() => setAsking(false)} />}
    </Card>
  )
}

function useColumns(): readonly Column<SessionRecord>[] {
  const say = useWords(words)
  const nameOf = useBrowserName()
  return [
    { name: say.browser, cell: row => <span title={row.user_agent}>{nameOf(row.user_agent)}</span> },
    { name: say.address, cell: row => row.address },
    { name: say.signedIn, cell: row => <When at={row.created_at} /> },
    { name: say.lastSeen, cell: row => <When at={row.seen_at} relative real /> },
    {
      name: say.end,
      hideName: true,
      end: true,
      cell: row => (row.is_this ? <Badge tone="good">{say.thisOne}</Badge> : <EndOne session={row} />),
    },
  ]
}

function EndOne({ session }: { readonly session: SessionRecord }) {
  const say = useWords(words)
  const nameOf = useBrowserName()
  const toast = useToast()
  const end = useChange(() => ask(`account/sessions/${session.id}`, { method: 'DELETE' }), ['account/sessions'])
  const run = async () => {
    if ((await end.run()).ok) toast(say.ended)
  }
  return (
    <Button small pending={end.isRunning} aria-label={say.endOf(nameOf(session.user_agent))} onClick={run}>
      {say.end}
    </Button>
  )
}

function EndOthers({ onClose }: { readonly onClose: () => void }) {
  const say = useWords(words)
  const toast = useToast()
  const end = useChange(() => ask('account/sessions', { method: 'DELETE' }), ['account/sessions'])
  const submit = async () => {
    if (!(await end.run()).ok) return
    toast(say.endedOthers)
    onClose()
  }
  return (
    <FormDialog
      title={say.endOthersTitle}
      action={say.endOthers}
      danger
      pending={end.isRunning}
      refused={end.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.endOthersSays}</p>
    </FormDialog>
  )
}
