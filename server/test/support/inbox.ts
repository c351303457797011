// The demo merchant's hook inbox, from outside.

import assert from 'node:assert/strict'
import { hookBody } from '@tillbell/sdk'
import type { TestService } from './service.ts'
import { until } from './until.ts'

export interface Kept {
  readonly id: string
  readonly at: string
  readonly path: string
  readonly verified: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  readonly details: any
  readonly details_text: string
  readonly signature: string
}

export interface ShownMail {
  readonly id: string
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export class InboxVisitor {
  readonly url: string
  readonly privateKey: string

  constructor({ demoSheet }: TestService) {
    this.url = String(demoSheet.inbox_url)
    this.privateKey = demoSheet.private_key
  }

  post(path: string, body: string, contentType = 'application/x-www-form-urlencoded'): Promise<Response> {
    return fetch(`${this.url}/${path}`, { method: 'POST', headers: { 'content-type': contentType }, body })
  }

  /** As the service would. */
  async receive(details: object, path = 'endpoint'): Promise<void> {
    const answer = await this.post(path, hookBody(JSON.stringify(details), this.privateKey))
    assert.deepEqual([answer.status, await answer.json()], [200, { received: true }])
  }

  async hooks(query = ''): Promise<Kept[]> {
    // Half of what it may wait: who waits is answered because something arrived, not because time is up.
    const answer = await fetch(`${this.url}/hooks${query}`, { signal: AbortSignal.timeout(10_000) })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as { hooks: Kept[] }).hooks
  }

  /** Newest first. */
  async mails(): Promise<ShownMail[]> {
    const answer = await fetch(`${this.url}/mails.json`, { signal: AbortSignal.timeout(10_000) })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as { mails: ShownMail[] }).mails
  }

  /** The newest, once there are so many. */
  async mailOf(count: number): Promise<ShownMail> {
    await until('the mail is there', async () => (await this.mails()).length >= count)
    const mails = await this.mails()
    assert.equal(mails.length, count)
    return mails[0] ?? assert.fail()
  }
}
