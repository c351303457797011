// What a customer does with the link of a payment by email: finds it in their mailbox, opens it, and presses its button.

import assert from 'node:assert/strict'
import { type KeptMail, type MailRelay, read } from './mail-relay.ts'
import { hiddenIn } from './plain-forms.ts'
import { until } from './until.ts'

const linkPattern = /http\S+\?proof=[\w-]{43}/

/** Of the newest mail to this address that has one, once there are so many. */
export async function confirmationLink(
  { mails }: Pick<MailRelay, 'mails'>,
  address: string,
  count = 1,
): Promise<string> {
  const linked = () => mails.filter(mail => mail.to.includes(address) && linkIn(mail) !== null)
  await until(`${count} mails with a link to ${address}`, async () => linked().length >= count)
  return linkIn(linked().at(-1) ?? assert.fail()) ?? assert.fail()
}

function linkIn(mail: KeptMail): string | null {
  return linkPattern.exec(read(mail).body)?.[0] ?? null
}

export interface OpenLink {
  readonly status: number
  readonly text: string
  /** Presses the page's first button; as it leads to another process of the service, where one is named. */
  press(baseUrl?: string): Promise<Response>
}

/** As a browser does. */
export async function openLink(link: string): Promise<OpenLink> {
  const answer = await fetch(link, { redirect: 'manual' })
  const text = await answer.text()
  const action = /action="([^"]+)"/.exec(text)?.[1]
  return {
    status: answer.status,
    text,
    press(baseUrl = link) {
      assert.ok(action !== undefined, `there is nothing to press: ${answer.status} ${text}`)
      const body = new URLSearchParams(hiddenIn({ text }))
      return fetch(new URL(action, baseUrl), { method: 'POST', redirect: 'manual', body })
    },
  }
}

/** The customer confirms the payment. Answers where they are led. */
export async function confirmByLink(relay: Pick<MailRelay, 'mails'>, address: string, count = 1): Promise<string> {
  const pressed = await (await openLink(await confirmationLink(relay, address, count))).press()
  return pressed.headers.get('location') ?? assert.fail(`${pressed.status} ${await pressed.text()}`)
}
