// Every sentence that the service can refuse something with at the dashboard has its Spanish. They are collected from the
// service's sources: whoever adds one adds its Spanish, or says below why nobody reads it here.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'
import { refusalAtField, refusalIn } from './refusals.ts'
import { esActs } from './refusals-of-acts.ts'
import { esForms } from './refusals-of-forms.ts'
import { esGateways } from './refusals-of-gateways.ts'
import { esMails } from './refusals-of-mails.ts'
import { fieldNames } from './refused-names.ts'

const server = join(import.meta.dirname, '../../../server/src')

/** Where what the console answers comes from. */
const rooms =
  /^(http|api|console|core|gateways)\/|^hooks\/wire\/target\.ts$|^mail\/in\/(judge|automatic|consent)\.ts$|^join-outbox\.ts$/

/** Those say nothing to people at the dashboard: to programs, to operators, to the log, or in a page of their own words. */
const neverHeard = new RegExp(
  [
    'test\\.ts$',
    '^api/(answers|authenticate|gateway-events|hook-listeners|openapi|sandbox-disputes|tags|tokens|webhooks)\\.ts$',
    '^console/snippets\\.ts$',
    // Findings of the audit, and alerts to operators.
    '^core/audit/|^core/agree/(?!(excess|hold|refund)\\.ts$)',
    '^core/(agree|customer-step|sandbox-dispute|test-details|try-next)\\.ts$',
    // Why a token does not open is told over REST and at the command line.
    '^core/token(-terms)?\\.ts$',
    // What a gateway did not do is told by a code of ours; its own cause is kept with the operation.
    '^gateways/(sandbox|stripe|braintree)/(?!(cards|credentials|failures|identify|line|merchant-accounts|test-cards|type)\\.ts$)',
  ].join('|'),
)

/** Single sentences of files that others are heard of. */
const neverShown: readonly string[] = [
  // Whoever gets it is no browser of ours.
  'An API key and its secret are required as HTTP basic credentials, and these are not known.',
  'The Content-Type must be application/x-www-form-urlencoded or application/json.',
  'The body is not valid UTF-8.',
  'The body is not valid JSON.',
  'The client hung up before anything was done.',
  'The body must be a JSON object.',
  'This GET takes no body. Send arguments in the query.',
  'An argument without a name is not known.',
  'A page of another site must not use this interface. Call it from your server.',
  'The body is not as long as Content-Length says.',
  'The path is not valid.',
  'The headers are larger than 16 KiB, or more than {} fields.',
  'The request is not valid HTTP.',
  // Kept with an operation, and no refusal.
  'Accepted by {} after it was settled as {}.',
  'Its token was used by transaction {} meanwhile.',
  'The gateway reports that it failed after it had succeeded.',
  'The gateway could not be asked.',
  'Reported by the gateway after it was settled as not made.',
  'It gives back what was captured beyond what is written here.',
  // Alerts to operators.
  'The details of a notification are larger than 64 KiB after all texts were cut.',
  'The gateway reports a {} ({}) whose amount or currency cannot be kept.',
  'The gateway told of {}, which is a payment of ours by its reference, and reports none of ours there. See there what became of it.',
  'The gateway reports a capture of {}, which takes nothing.',
  'Settled by {}: {}.',
  'The gateway cannot be opened.',
  'The answer of Braintree is no customer.',
  'Braintree does not know the account (HTTP 404).',
  'No merchant account for {} is named, and the default one is not for it.',
  'Stripe answered with something that is no customer.',
  'Stripe answered, and the card is still attached.',
  'Stripe answered with something that is no payment method.',
  // The dashboard gives both, always.
  'The record needs a name: who settles it.',
  'The record needs a note: why it is settled so.',
  // Parts: each whole is looked for in its own right.
  'url {}.',
  '{}; {}.',
  '{}; the card was not stored.',
  'Put it right at the gateway, then dismiss it.',
  // A title, and a hint for programs.
  'Payment of {}.',
  'null or empty text for no limit.',
]

interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

interface Found {
  readonly file: string
  readonly sentence: string
}

function sentencesIn(file: string): Found[] {
  const { program } = parseSync(file, readFileSync(join(server, file), 'utf8'))
  return literalsIn(program as unknown as Node)
    .map(text => wholeOf(text, file))
    .filter(text => text !== null)
    .map(sentence => ({ file, sentence }))
}

/** The literals below a node, without those that describe arguments to programmers; `{}` stands for what is filled in. */
function literalsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(literalsIn)
  if (typeof node !== 'object' || node === null) return []
  const { type, ...members } = node as Node
  if (type === 'Literal') return typeof members.value === 'string' ? [members.value] : []
  const inside = Object.values(isCall(node) ? { ...members, arguments: saidArguments(node) } : members)
  if (type === 'Property' && nameOf(members.key) === 'description') return []
  if (type !== 'TemplateLiteral') return inside.flatMap(literalsIn)
  const quasis = members.quasis as { readonly value: { readonly cooked: string } }[]
  return [quasis.map(({ value }) => value.cooked).join('{}'), ...literalsIn(members.expressions)]
}

interface Call extends Node {
  readonly callee: Node
  readonly arguments: readonly Node[]
}

function isCall(node: unknown): node is Call {
  return (node as Node).type === 'CallExpression'
}

/** The last argument of `textField(…)` and of `text(…)` is a description. */
function saidArguments({ callee, arguments: given }: Call): readonly Node[] {
  return /Field$|^(text|object|answersWith|colorField)$/.test(nameOf(callee)) ? given.slice(0, -1) : given
}

function nameOf(node: unknown): string {
  return String((node as { readonly name?: string } | null)?.name ?? '')
}

/** Null: no sentence. Some are written in parts. */
function wholeOf(text: string, file: string): string | null {
  if (file === 'hooks/wire/target.ts') return /^(is|must) .+[^.]$/.test(text) ? `${text}.` : null
  if (/^The payment gateway .+[^.]$/.test(text)) return `${text}; the card was not charged.`
  return text.includes(' ') && text.endsWith('.') ? text : null
}

const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
  name => rooms.test(name) && name.endsWith('.ts') && !neverHeard.test(name),
)
const found = files.flatMap(sentencesIn)

/** With something filled in. Where the name of the field is filled in first, the rest is known without it. */
function inSpanish(sentence: string): string | null {
  return refusalAtField('es', sentence.replace(/^\{\} (?=[a-z])/, '').replaceAll('{}', '7'))
}

test('whatever the service can say at the dashboard is said in Spanish', () => {
  assert.ok(found.length > 200, `${found.length} sentences were found`)
  const missing = found.filter(({ sentence }) => !neverShown.includes(sentence) && inSpanish(sentence) === null)
  assert.deepEqual(missing, [])
})

test('nothing is listed as never shown that is not there any more', () => {
  const sentences = new Set(found.map(({ sentence }) => sentence))
  assert.deepEqual(
    neverShown.filter(sentence => !sentences.has(sentence)),
    [],
  )
})

test('no English is left in a Spanish sentence', () => {
  const english = /\b(the|is|was|are|of|in|with|must|and|not|cannot|gateway|charged|card)\b/i
  const left = found.map(({ sentence }) => inSpanish(sentence)).filter(said => said !== null && english.test(said))
  assert.deepEqual(left, [])
})

test('nothing is in the tables that the service does not say any more', () => {
  const sources = files.map(name => readFileSync(join(server, name), 'utf8')).join('\n')
  const parts = [...esForms, ...esActs, ...esGateways, ...esMails].flatMap(([english]) =>
    english.split(/\{\d\}|\.(?: |$)|;/),
  )
  assert.deepEqual(
    parts.filter(part => !sources.includes(part)),
    [],
  )
})

test('each name of a field is there in both languages', () => {
  assert.deepEqual(Object.keys(fieldNames.es), Object.keys(fieldNames.en))
})

test('at its field a refusal needs no name in Spanish, and has one that people know in English', () => {
  const sentence = 'timeout_s must be a whole number from 1 to 30.'
  assert.equal(refusalAtField('es', sentence), 'Debe ser un número entero del 1 al 30.')
  assert.equal(refusalAtField('en', sentence), 'Seconds to answer must be a whole number from 1 to 30.')
  assert.equal(refusalAtField('en', 'amount is required.', 'Price of one'), 'Price of one is required.')
})

test('what the page itself says at a field is left alone', () => {
  assert.equal(refusalAtField('es', 'Escriba un importe.'), null)
  assert.equal(refusalAtField('en', 'Enter an amount.'), null)
})

test('away from its field a refusal says which one it is about', () => {
  assert.deepEqual(refusalIn('es', 'amount', 'amount must be more than zero.'), {
    text: 'Importe: debe ser mayor que cero.',
    language: 'es',
  })
  assert.deepEqual(refusalIn('en', 'amount', 'amount must be more than zero.'), {
    text: 'Amount must be more than zero.',
    language: 'en',
  })
  assert.equal(
    refusalIn('es', 'Su talla', 'Su talla must not be a card number.').text,
    'Su talla: no debe ser un número de tarjeta.',
  )
})

test('states, kinds and spans within a sentence are said in Spanish too', () => {
  const inSpanish = (sentence: string) => refusalIn('es', 'general', sentence).text
  assert.equal(
    inSpanish('transaction is Partially Refunded, so it cannot be voided.'),
    'Transacción: está en el estado «Reembolsada en parte» y no se puede anular.',
  )
  assert.equal(
    inSpanish(
      'The gateway did not answer, so the reference ch_1 cannot be checked. Nothing has changed: try again when it answers.',
    ),
    'La pasarela no respondió, así que no se puede comprobar la referencia ch_1. No ha cambiado nada: inténtelo de nuevo cuando responda.',
  )
  assert.equal(
    inSpanish('Too many tries: try again in 5 minutes.'),
    'Demasiados intentos: inténtelo de nuevo en 5 minutos.',
  )
  assert.equal(
    inSpanish('The payment gateway could not be reached; the refund was not carried out.'),
    'No se pudo conectar con la pasarela de pago; no se hizo el reembolso.',
  )
  assert.equal(
    inSpanish(
      'The gateway reports 5.00 where 10.00 was asked. As succeeded it would be booked as asked. Put it right at the gateway, then settle it as dismissed.',
    ),
    'La pasarela informa de 5.00 donde se pidieron 10.00. Como «Se hizo» se anotaría por el importe pedido. Corríjalo en la pasarela y después resuélvalo como «Descartar».',
  )
  assert.equal(
    inSpanish('credentials must have a secret_key that begins with sk_test_ or rk_test_ in sandbox mode.'),
    'Credenciales: deben tener secret_key, que en el modo sandbox empieza por sk_test_ o rk_test_.',
  )
  assert.equal(
    inSpanish('The gateway refuses them: credentials are not accepted by Stripe.'),
    'La pasarela las rechaza: no son aceptadas por Stripe.',
  )
})

test('a name that every object has is a name like any other', () => {
  assert.equal(
    refusalIn('es', 'constructor', 'constructor must not be a card number.').text,
    'constructor: no debe ser un número de tarjeta.',
  )
})

test('what nobody translated is shown as it is, and marked as English', () => {
  const sentence = 'Your bank says no (code 05).'
  assert.deepEqual(refusalIn('es', 'general', sentence), { text: sentence, language: 'en' })
})
