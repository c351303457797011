// Somebody of a merchant's at the console, as the dashboard asks it: with the cookie and the token that a browser would send.

import assert from 'node:assert/strict'
import type { Me } from '../../src/console/contract/me.ts'
import type { SignInPair } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Body = any

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Body
}

export interface Asked {
  readonly method?: string
  readonly json?: object
  readonly headers?: { readonly [name: string]: string }
}

export class ConsoleClient {
  readonly baseUrl: string
  /** Where the page is that asks. */
  origin: string
  /** The session's. */
  cookie = ''
  /** What a browser keeps of having signed in. */
  browser = ''
  csrfToken = ''
  /** Where it says to come from; a service believes that which trusts this machine as a proxy. */
  address = ''

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl
    this.origin = baseUrl
  }

  /** `path` behind /console/. */
  async ask(path: string, { method = 'GET', json, headers = {} }: Asked = {}): Promise<ConsoleAnswer> {
    const response = await fetch(`${this.baseUrl}/console/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        Cookie: [this.cookie, this.browser].filter(each => each !== '').join('; '),
        ...(method !== 'GET' && { Origin: this.origin, 'X-CSRF-Token': this.csrfToken }),
        ...(this.address !== '' && { 'X-Forwarded-For': this.address }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1)
      if (/^(__Secure-)?tillbell_browser=/.test(pair)) this.browser = pair
      else this.cookie = pair
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null }
  }

  async signIn({ email, password, code }: SignInPair & { readonly code?: string }): Promise<ConsoleAnswer> {
    const json = { email, password, ...(code !== undefined && { code }) }
    const answer = await this.ask('session', { method: 'POST', json })
    if (answer.status === 200) this.csrfToken = (answer.json.me as Me).csrf_token
    return answer
  }
}

export async function signedIn(baseUrl: string, pair: SignInPair): Promise<ConsoleClient> {
  const client = new ConsoleClient(baseUrl)
  const { status, text } = await client.signIn(pair)
  assert.equal(status, 200, text)
  return client
}
