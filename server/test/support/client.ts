// A merchant's REST client, as plain as curl.

import http, { type IncomingHttpHeaders } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  readonly json: any
}

export interface Asked {
  readonly method?: string
  readonly form?: { readonly [name: string]: string | number }
  readonly json?: unknown
  readonly headers?: { readonly [name: string]: string }
}

export interface Sent {
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Buffer | null
}

export function send(url: string, { method, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = http.request(url, { method, headers: { ...length, ...headers } }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { statusCode: status = 0 } = response
        resolve({ status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) })
      })
    })
    request.on('error', reject)
    request.end(body ?? undefined)
  })
}

export function encodeForm(form: { readonly [name: string]: string | number }): string {
  const pairs = Object.entries(form).map(([name, value]): [string, string] => [name, String(value)])
  return new URLSearchParams(pairs).toString()
}

export class Client {
  readonly baseUrl: string
  readonly authorization: string

  constructor(baseUrl: string, key: string, secret: string) {
    this.baseUrl = baseUrl
    this.authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  }

  /** Over node:http, because fetch will not send a GET with a body. */
  async ask(path: string, { method, form, json, headers = {} }: Asked = {}): Promise<Answer> {
    const body = json !== undefined ? JSON.stringify(json) : form === undefined ? null : encodeForm(form)
    const type = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    return send(`${this.baseUrl}/api/v5/rest/${path}`, {
      method: method ?? (body === null ? 'GET' : 'POST'),
      headers: { authorization: this.authorization, ...(body !== null && { 'content-type': type }), ...headers },
      body,
    })
  }

  /** Charges an offer, made for the purpose, with a card stored for the purpose. */
  async charge(
    offer: string,
    card: string,
    more: Asked & { readonly key?: string; readonly quantity?: number } = {},
  ): Promise<Answer> {
    const { key, quantity, ...asked } = more
    const headers = { ...asked.headers, ...(key !== undefined && { 'idempotency-key': key }) }
    const form = { service_offer: offer, token: card, ...(quantity !== undefined && { quantity }), ...asked.form }
    return this.ask('transactions', { ...asked, form, headers })
  }

  async makeOffer(more: { readonly [name: string]: string | number } = {}): Promise<string> {
    const { json, status, text } = await this.ask('offers', { form: { amount: '100.00', ...more } })
    if (status !== 200) throw new Error(text)
    return json.offer.offer_id
  }

  async storeCard(
    number = '4111111111111111',
    more: { readonly [name: string]: string | number } = {},
  ): Promise<string> {
    const form = { number, expiry_month: 12, expiry_year: 2040, email: 'ada@example.com', ...more }
    const { json, status, text } = await this.ask('sandbox/cards', { form })
    if (status !== 200) throw new Error(text)
    return json.card.service_token
  }
}
