import { useState } from 'react'
import type { AlertKind, Alerts } from '../../../../server/src/console/contract/alerts.ts'
import { ask } from '../../ask/ask.ts'
import { useMe } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { Card } from '../../parts/card.tsx'
import { Checkbox, Choices } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { words } from './words.ts'

const kinds: readonly AlertKind[] = ['hook_dropped', 'endpoint_paused', 'in_doubt']

export function AlertsPage() {
  const say = useWords(words)
  const shown = useAsked<{ alerts: Alerts }>('alerts')
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded shown={shown}>
        {({ alerts }) => (
          <div className="space-y-6">
            {!alerts.mails_go_out && <Notice kind="waits">{say.noMail}</Notice>}
            <Mine mine={alerts.mine} />
            {alerts.team !== null && <Team team={alerts.team} />}
          </div>
        )}
      </Loaded>
    </>
  )
}

/** Each takes effect when it is ticked, and shows so at once. */
function Mine({ mine }: { readonly mine: readonly AlertKind[] }) {
  const say = useWords(words)
  const [chosen, setChosen] = useState(mine)
  const { email } = useMe()
  const toast = useToast()
  const change = useChange(
    (kind: AlertKind, isOn: boolean) => ask<{ alerts: Alerts }>('alerts', { method: 'PATCH', json: { [kind]: isOn } }),
    ['alerts'],
  )
  return (
    <Card>
      <Choices legend={say.mine}>
        {kinds.map(kind => (
          <Checkbox
            key={kind}
            checked={chosen.includes(kind)}
            disabled={change.isRunning}
            label={say.kinds[kind]}
            hint={say.hints[kind]}
            onChange={async event => {
              const isOn = event.currentTarget.checked
              setChosen(isOn ? [...chosen, kind] : chosen.filter(each => each !== kind))
              const asked = await change.run(kind, isOn)
              setChosen(asked.ok ? asked.body.alerts.mine : mine)
              if (asked.ok) toast(say.saved)
            }}
          />
        ))}
      </Choices>
      <p className="mt-4 text-soft">{say.to(email)}</p>
      <Refusal refused={change.refused} />
    </Card>
  )
}

function Team({ team }: { readonly team: NonNullable<Alerts['team']> }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const missing = kinds.filter(kind => !team.some(({ alerts }) => alerts.includes(kind)))
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  return (
    <Card title={say.team} flush>
      {missing.length > 0 && (
        <div className="px-5 pb-4">
          <Notice kind="waits">{say.nobody(list.format(missing.map(kind => say.short[kind])))}</Notice>
        </div>
      )}
      <Table
        caption={say.team}
        rows={team}
        keyOf={({ email }) => email}
        columns={[
          { name: say.person, cell: ({ email }) => email, grows: true, wraps: true },
          { name: say.role, cell: ({ role }) => say.roles[role as keyof typeof say.roles] },
          {
            name: say.alerts,
            cell: ({ alerts }) =>
              alerts.length === 0
                ? say.none
                : kinds
                    .filter(kind => alerts.includes(kind))
                    .map(kind => say.short[kind])
                    .join(', '),
          },
        ]}
      />
    </Card>
  )
}
