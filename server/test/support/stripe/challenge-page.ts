// The page of the card's bank, where its holder says that it is him, or does not.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseForm } from './form.ts'
import { answerChallenge } from './paying.ts'
import type { State } from './state.ts'

/** The intent in the path of such a page; null: another path. */
export function challengedIn(path: string): string | null {
  return /^\/challenge\/(\w+)$/.exec(path)?.[1] ?? null
}

export function serveChallenge(state: State, id: string, request: IncomingMessage, body: string): Page {
  const intent = state.find('payment_intent', id)
  const action = intent?.next_action
  if (intent === null || action?.type !== 'redirect_to_url') return { status: 410, html: gone }
  if (request.method !== 'POST') return { status: 200, html: question(id) }
  const back = new URL(action.redirect_to_url.return_url)
  answerChallenge(state, intent, parseForm(body).result === 'pass' ? 'pass' : 'fail')
  const isPaid = intent.status === 'succeeded' || intent.status === 'requires_capture'
  back.searchParams.set('payment_intent', id)
  back.searchParams.set('payment_intent_client_secret', intent.client_secret)
  back.searchParams.set('redirect_status', isPaid ? 'succeeded' : 'failed')
  return { status: 303, html: '', location: back.href }
}

export interface Page {
  readonly status: number
  readonly html: string
  readonly location?: string
}

export function show(response: ServerResponse, { status, html, location }: Page): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', ...(location !== undefined && { location }) }
  response.writeHead(status, headers).end(html)
}

const gone = '<!doctype html><html lang="en"><title>Your bank</title><p>There is nothing to confirm.</p></html>'

function question(id: string): string {
  const form = (result: string, label: string) =>
    `<form method="post" action="/challenge/${id}"><input type="hidden" name="result" value="${result}"><button>${label}</button></form>`
  return `<!doctype html><html lang="en"><title>Your bank</title><h1>Is it you?</h1>${form('pass', 'Yes')}${form('fail', 'No')}</html>`
}
