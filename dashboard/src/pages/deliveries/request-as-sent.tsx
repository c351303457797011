// The request, as the endpoint got it: headers, body, and what is in it.

import { useState } from 'react'
import type { HookEndpointRecord, WholeDeliveryRecord } from '../../../../server/src/console/contract/records.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface RequestProps {
  readonly delivery: WholeDeliveryRecord
  readonly standardWebhooks: HookEndpointRecord['standard_webhooks']
}

export function RequestAsSent({ delivery, standardWebhooks }: RequestProps) {
  const say = useWords(words)
  const { details, signature, url } = delivery
  const [isRaw, setRaw] = useState(false)
  if (details === null || signature === null) {
    return (
      <Card title={say.request}>
        <p className="text-soft">{say.emptied}</p>
      </Card>
    )
  }
  const isJson = standardWebhooks === 'json'
  const body = isJson ? jsonBodyOf(details) : bodyOf(details, signature)
  return (
    <Card
      title={say.request}
      lead={delivery.attempts.length === 0 ? say.requestNext : say.signatureHint}
      actions={
        <Button small onClick={() => setRaw(!isRaw)}>
          {isRaw ? say.decoded : say.raw}
        </Button>
      }
    >
      <div className="space-y-4">
        <CodeBlock label={say.headers} text={headOf(url, body, isJson)} />
        {standardWebhooks !== false && <p className="text-[0.8125rem] text-soft">{say.more}</p>}
        {!isJson && <CodeBlock label={say.signature} text={signature} />}
        {isRaw ? (
          <>
            <CodeBlock label={say.detailsRaw} text={details} wrap />
            <CodeBlock label={say.body} text={body} wrap />
          </>
        ) : (
          <CodeBlock label={say.details} text={pretty(details)} />
        )}
      </div>
    </Card>
  )
}

function bodyOf(details: string, signature: string): string {
  return `details=${encodeURIComponent(details)}&signature=${signature}`
}

/** As the sdk's standardWebhooksBody writes it. */
function jsonBodyOf(details: string): string {
  const { type, date } = JSON.parse(details)
  return `{"type":${JSON.stringify(type)},"timestamp":"${new Date(date * 1_000).toISOString()}","data":${details}}`
}

function headOf(url: string, body: string, isJson: boolean): string {
  const { host, pathname, search } = new URL(url)
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    'Accept: */*',
    `Content-Type: ${isJson ? 'application/json' : 'application/x-www-form-urlencoded'}`,
    'Connection: close',
    `Host: ${host}`,
    `Content-Length: ${new TextEncoder().encode(body).length}`,
  ].join('\n')
}

function pretty(details: string): string {
  return JSON.stringify(JSON.parse(details), null, 2)
}
