// Ways in which the look-alike fails, each once, at a request of one's choice.

import type { ServerResponse } from 'node:http'
import { refused } from './routes.ts'

export interface Fault {
  /** Of which request. */
  readonly at: RegExp
  /** Whether it is carried out all the same. */
  readonly executes: boolean
  readonly answers: Answers
  readonly headers?: { readonly [name: string]: string }
}
/** A number is a status with a sentence instead of XML. */
export type Answers =
  | number
  | 'reset'
  | 'silence'
  | 'drip'
  | 'html'
  | 'broken json'
  | 'truncated'
  | 'other xml'
  | 'nothing'
  | 'endless'
  | 'another transaction'
  | 'error in a 200'
  | 'an empty page'
  | 'ten thousand ids'
  | 'suspended account'

const xml = 'application/xml; charset=utf-8'

type Said = { readonly status: number; readonly type: string; readonly text: string }
/** `said` is what a sound server would have answered. */
const wrongWords: { readonly [answers: string]: (said: string) => Said } = {
  html: () => ({ status: 200, type: 'text/html', text: '<html><body>Down for maintenance</body></html>' }),
  'broken json': () => ({ status: 200, type: 'application/json', text: '{"transaction": ' }),
  truncated: said => ({ status: 200, type: xml, text: said.slice(0, said.length / 2) }),
  'other xml': () => ({ status: 200, type: xml, text: '<?xml version="1.0"?><something><else/></something>' }),
  'an empty page': said => ({ status: 200, type: xml, text: said.replace(/<transaction>.*<\/transaction>/, '') }),
  'ten thousand ids': said => ({
    status: 200,
    type: xml,
    text: said.replace('</ids>', `${'<item>again</item>'.repeat(10_000)}</ids>`),
  }),
  'error in a 200': () => ({ status: 200, type: xml, text: refusalOf('91513') }),
  'suspended account': () => ({ status: 422, type: xml, text: refusalOf('91514') }),
  nothing: () => ({ status: 200, type: xml, text: '' }),
  'another transaction': said => ({
    status: 201,
    type: xml,
    text: said.replace(/<order-id>[^<]*/, '<order-id>of somebody else'),
  }),
}

const refusalOf = (code: string) => refused('transaction', { attribute: 'merchant_account_id', code }).xml ?? ''

export function answerBadly(response: ServerResponse, { answers, headers = {} }: Fault, said: string): void {
  if (answers === 'silence') return
  if (answers === 'reset') {
    response.socket?.resetAndDestroy()
  } else if (answers === 'drip') {
    response.writeHead(200, { 'content-type': xml, 'content-length': 1_000_000 }).write(said.slice(0, 40))
  } else if (answers === 'endless') {
    pour(response.writeHead(200, { 'content-type': xml }))
  } else {
    const refusal = { status: Number(answers), type: 'text/plain', text: 'So it is.' }
    const { status, type, text } = wrongWords[answers]?.(said) ?? refusal
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }
}

function pour(response: ServerResponse): void {
  const more = () => {
    if (response.destroyed) return
    response.write(' '.repeat(1024 * 1024), () => setImmediate(more))
  }
  response.on('error', () => {})
  more()
}
