// What a new merchant does first. Gone once all of it is done.

import type { LinkProps } from '@tanstack/react-router'
import type { HomeSteps } from '../../../../server/src/console/contract/home.ts'
import { useMay } from '../../ask/me.tsx'
import { Badge } from '../../parts/badge.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

type Step = keyof HomeSteps

const places: readonly { readonly step: Step; readonly to: NonNullable<LinkProps['to']> }[] = [
  { step: 'gateway', to: '/gateways' },
  { step: 'offer', to: '/offers/new' },
  { step: 'endpoint', to: '/api-settings' },
  { step: 'payment', to: '/offers' },
]

export function FirstSteps({ steps }: { readonly steps: HomeSteps }) {
  const say = useWords(words).steps
  const mayDo = useMay('developer')
  if (places.every(({ step }) => steps[step])) return null
  return (
    <Card title={say.title} lead={say.lead} flush>
      <ol className="divide-y divide-line border-t border-line">
        {places.map(({ step, to }) => (
          <li key={step} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
            <span className="w-24">
              {steps[step] ? <Badge tone="good">{say.done}</Badge> : <Badge tone="plain">{say.open}</Badge>}
            </span>
            <div className="min-w-0 flex-1 basis-60">
              <p className="font-medium">{say[step][0]}</p>
              <p className="text-soft">{say[step][1]}</p>
            </div>
            {!steps[step] && mayDo && (
              <ButtonLink to={to} small>
                {say.go[step]}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}
