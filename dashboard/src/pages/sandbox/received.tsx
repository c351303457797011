// What the demo's inbox holds: hooks as they came, and mails as they were written.

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Sandbox, SandboxHook, SandboxMail } from '../../../../server/src/console/contract/sandbox.ts'
import { Badge } from '../../parts/badge.tsx'
import { buttonClasses } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Icon } from '../../parts/icon.tsx'
import { When, WhenIsStill } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { readDetails } from './details.ts'
import { words } from './words.ts'

export function ReceivedHooks({ sandbox: { hooks, inbox_url } }: { readonly sandbox: Sandbox }) {
  const say = useWords(words)
  return (
    <Card title={say.hooks} lead={say.hooksLead} actions={<Outside href={inbox_url}>{say.inbox}</Outside>} flush>
      <Listed isEmpty={hooks.length === 0} empty={say.noHooks}>
        {hooks.map(hook => (
          <Hook key={hook.id} hook={hook} />
        ))}
      </Listed>
    </Card>
  )
}

function Hook({ hook: { at, path, verified, details, signature } }: { readonly hook: SandboxHook }) {
  const say = useWords(words)
  const { type, transaction, text } = readDetails(details)
  return (
    <li className="px-5 py-2.5">
      <details>
        <summary>
          <span className="font-medium">{type ?? path}</span>{' '}
          <Badge tone={verified ? 'good' : 'bad'}>{verified ? say.verified : say.notVerified}</Badge> <Still at={at} />
        </summary>
        <div className="mt-3 space-y-3">
          {transaction !== null && (
            <Link to="/transactions/$id" params={{ id: transaction }} className="text-accent hover:underline">
              {say.seeTransaction}
            </Link>
          )}
          <CodeBlock label={say.details} text={text} />
          <CodeBlock label={say.signature} text={signature} wrap />
        </div>
      </details>
    </li>
  )
}

export function WrittenMails({ sandbox: { mails, inbox_url } }: { readonly sandbox: Sandbox }) {
  const say = useWords(words)
  const all = inbox_url === null ? null : `${inbox_url}/mails`
  return (
    <Card title={say.mails} lead={say.mailsLead} actions={<Outside href={all}>{say.openMails}</Outside>} flush>
      <Listed isEmpty={mails.length === 0} empty={say.noMails}>
        {mails.map(mail => (
          <Mail key={mail.id} mail={mail} />
        ))}
      </Listed>
    </Card>
  )
}

function Mail({ mail: { at, to, subject, text, url } }: { readonly mail: SandboxMail }) {
  const say = useWords(words)
  return (
    <li className="px-5 py-2.5">
      <details>
        <summary>
          <span className="font-medium" dir="auto">
            {subject}
          </span>{' '}
          <span className="text-soft">
            {say.to(to)} · <Still at={at} />
          </span>
        </summary>
        <div className="mt-3 space-y-3">
          <Outside href={url}>{say.asSeen}</Outside>
          {text === null ? (
            <p className="text-soft">{say.onlyOwner}</p>
          ) : (
            <CodeBlock label={say.text} text={text} wrap />
          )}
        </div>
      </details>
    </li>
  )
}

/** A time inside something that is pressed itself. */
function Still({ at }: { readonly at: string }) {
  return (
    <WhenIsStill value>
      <span className="text-soft">
        <When at={at} />
      </span>
    </WhenIsStill>
  )
}

function Outside({ href, children }: { readonly href: string | null; readonly children: ReactNode }) {
  if (href === null) return null
  return (
    <a href={href} target="_blank" rel="noopener" className={buttonClasses('plain', true)}>
      {children}
      <Icon name="external" className="size-4" />
    </a>
  )
}

interface ListedProps {
  readonly isEmpty: boolean
  readonly empty: string
  readonly children: ReactNode
}

function Listed({ isEmpty, empty, children }: ListedProps) {
  if (isEmpty) return <p className="px-5 pb-5 text-soft">{empty}</p>
  return <ul className="divide-y divide-line border-t border-line">{children}</ul>
}
