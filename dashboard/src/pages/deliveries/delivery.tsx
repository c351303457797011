import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { HookEndpointRecord, WholeDeliveryRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useKey } from '../../ask/new-key.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { TurnEndpoint } from '../api-settings/endpoint-dialogs.tsx'
import { Attempts } from './attempts.tsx'
import { testTransaction } from './deliveries.tsx'
import { NextStep } from './next-step.tsx'
import { RequestAsSent } from './request-as-sent.tsx'
import { StateBadge } from './state-badge.tsx'
import { WhyFailed } from './why-failed.tsx'
import { words } from './words.ts'

const watchEveryMs = 2_000

export function DeliveryPage() {
  const say = useWords(words)
  const { id = '' } = useParams({ strict: false })
  const shown = useAsked<{ hook_delivery: WholeDeliveryRecord }>(`rest/hook_deliveries/${id}`, {
    everyMs: watchEveryMs,
  })
  const back = { to: '/deliveries', label: say.back } as const
  if (shown.state !== 'there') {
    return (
      <>
        <PageHead title={say.id} back={back} />
        <Loaded shown={shown}>{() => null}</Loaded>
      </>
    )
  }
  return <OneDelivery delivery={shown.body.hook_delivery} back={back} />
}

interface OneDeliveryProps {
  readonly delivery: WholeDeliveryRecord
  readonly back: { readonly to: '/deliveries'; readonly label: string }
}

function OneDelivery({ delivery, back }: OneDeliveryProps) {
  const say = useWords(words)
  const { hook } = useWords(states)
  const isTest = delivery.transaction === testTransaction
  const endpoints = useAsked<HookEndpointRecord[]>('rest/hook_endpoints', { query: { limit: 100 } })
  const endpoint = endpoints.state === 'there' ? endpoints.body.find(({ id }) => id === delivery.endpoint) : undefined
  const title = (isTest ? say.deliveryOfTest : say.delivery)(hook[delivery.kind])
  return (
    <>
      <PageHead
        title={title}
        beside={<StateBadge delivery={delivery} />}
        back={back}
        actions={<ResendButton delivery={delivery} endpoint={endpoint} />}
      />
      <div className="space-y-6">
        <WhyFailed delivery={delivery} />
        <Card>
          <NextStep delivery={delivery} />
          <AboutDelivery delivery={delivery} isTest={isTest} />
        </Card>
        <Attempts attempts={delivery.attempts} />
        <RequestAsSent delivery={delivery} standardWebhooks={endpoint?.standard_webhooks ?? false} />
      </div>
    </>
  )
}

function AboutDelivery({ delivery, isTest }: { readonly delivery: WholeDeliveryRecord; readonly isTest: boolean }) {
  const say = useWords(words)
  return (
    <Facts>
      <Fact name={say.url}>
        <CodeLine what={say.url} text={delivery.url} />
      </Fact>
      <Fact name={say.transaction}>
        {isTest ? (
          say.test
        ) : (
          <Link to="/transactions/$id" params={{ id: delivery.transaction }} className="text-accent underline">
            {delivery.transaction}
          </Link>
        )}
      </Fact>
      <Fact name={say.created}>
        <When at={delivery.created_at} whole />
      </Fact>
      <Fact name={say.id}>
        <CodeLine what={say.id} text={delivery.id} />
      </Fact>
    </Facts>
  )
}

interface ResendButtonProps {
  readonly delivery: WholeDeliveryRecord
  /** Not there: it was deleted. */
  readonly endpoint: HookEndpointRecord | undefined
}

function ResendButton({ delivery, endpoint }: ResendButtonProps) {
  const say = useWords(words)
  const [isOpen, setOpen] = useState(false)
  const [isResuming, setResuming] = useState(false)
  const mayResend = useMay('developer')
  if (!mayResend) return null
  if (delivery.kind === 'pre_sale') return <span className="max-w-80 text-soft">{say.noResendPreSale}</span>
  const hasDialog = endpoint !== undefined && isResuming
  if (endpoint?.status === 'paused' || hasDialog) {
    return (
      <>
        <Button kind="primary" onClick={() => setResuming(true)}>
          {say.resume}
        </Button>
        {hasDialog && <TurnEndpoint endpoint={endpoint} onClose={() => setResuming(false)} />}
      </>
    )
  }
  return (
    <>
      <Button kind="primary" icon={<Icon name="again" />} onClick={() => setOpen(true)}>
        {say.resend}
      </Button>
      {isOpen && <ResendDialog delivery={delivery} onClose={() => setOpen(false)} />}
    </>
  )
}

function ResendDialog({ delivery, onClose }: { delivery: WholeDeliveryRecord; onClose: () => void }) {
  const say = useWords(words)
  const toast = useToast()
  const key = useKey()
  const resend = useChange(
    () => ask(`rest/hook_deliveries/${delivery.id}/resend`, { method: 'POST', json: {}, key }),
    ['rest/hook_deliveries'],
  )
  const submit = async () => {
    if (!(await resend.run()).ok) return
    toast(say.resent)
    onClose()
  }
  return (
    <FormDialog
      title={say.resendTitle}
      action={say.resend}
      pending={resend.isRunning}
      refused={resend.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="break-words">{say.resendSays(delivery.url)}</p>
      {delivery.state === 'delivered' && <p>{say.resendDelivered}</p>}
    </FormDialog>
  )
}
