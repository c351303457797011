// Mails that asked to pay: what was found out about who sent them, what came of them, and what their senders were told.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { lowerCaseEmail } from '../core/email.ts'
import { type LetterId, parseUuid, type TransactionId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { consentRules, formerRules, mailKinds, rules } from '../core/letter.ts'
import { type LetterFilter, letterView, mailStates } from '../core/shown-letter.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { flagField, flagFrom, knownEmailField, textField } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, object, oneOf, orNull, text, time } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const listQuery = Type.Object({
  ...pageFields,
  transaction: Type.Optional(textField(64, 'Only those that this Transaction came of.')),
  email: Type.Optional(knownEmailField('Only those from this address.')),
  proven: Type.Optional(flagField('Only those whose sender was believed, or was not.')),
})
const pathId = Type.Object({ id: Type.String() })
const about = { about: 'letter' } as const

const verdictAnswer = object({
  sender: orNull(text('The one address in From; null: there is not exactly one.')),
  proven: Type.Boolean({ description: 'Every rule holds: the sender is believed.' }),
  aligned: Type.Boolean({ description: 'SPF or DKIM fits the sender, who therefore may be answered.' }),
  rules: Type.Array(
    object({
      rule: oneOf([...rules, ...formerRules]),
      holds: Type.Boolean(),
      why: orNull(text('It does not hold; null where it does.')),
    }),
  ),
  consent: orNull(
    object(
      {
        given: Type.Boolean({ description: 'Every rule holds: its words say that its sender wants to pay.' }),
        rules: Type.Array(
          object({
            rule: oneOf(consentRules),
            holds: Type.Boolean(),
            why: orNull(text('It does not hold; null where it does.')),
          }),
        ),
      },
      'Null: it came before this was judged.',
    ),
  ),
  spf: text('In the words of RFC 8601.'),
  dmarc: text('In the words of RFC 8601.'),
  signatures: Type.Array(
    object({
      domain: text(),
      selector: text(),
      result: text(),
      aligned: Type.Boolean(),
      comment: orNull(text()),
    }),
  ),
})

const letterAnswer = object({
  id: text('UUID.'),
  received_at: time,
  offer: text('UUID of the offer that it asked for.'),
  from: orNull(text('Whom it is from; null: nobody can tell, or the customer was erased.')),
  proven: Type.Boolean({ description: 'Whether the sender was believed.' }),
  state: oneOf(['waiting', 'done']),
  transaction: orNull(text('UUID; null: it waits, or came to nothing.')),
  closed_because: orNull(text('Why it came to nothing; null: it waits, or came to a Transaction.')),
  verdict: orNull(verdictAnswer),
  mails: Type.Array(
    object({
      kind: oneOf(mailKinds),
      state: oneOf(mailStates),
      attempts: Type.Integer({ description: 'How many were made.' }),
      created_at: time,
      cause: orNull(text('Why it was not sent, or not yet.')),
    }),
  ),
})

export function letterRoutes(app: FastifyInstance, { store, core }: ApiPorts): void {
  const schema = (summary: string, more: object) => ({ summary, tags: ['mail'], ...more })

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/letters',
    {
      config: about,
      schema: schema('List the mails that asked to pay', {
        querystring: listQuery,
        ...answersWithList('letter', letterAnswer),
      }),
    },
    async (request, reply) => {
      const filter = filterFrom(request.query)
      const { merchantId } = callerOf(request)
      return sendPage(request, reply, core.service.baseUrl, {
        page: filter,
        read: part => store.listLetters(merchantId, { ...filter, ...part }),
        idOf: ({ id }) => id,
        render: letterView,
      })
    },
  )

  app.get<{ Params: Static<typeof pathId> }>(
    '/letters/:id',
    {
      config: about,
      schema: schema('Show a mail that asked to pay', { params: pathId, ...answersWith('letter', letterAnswer) }),
    },
    async (request, reply) => {
      const id = parseUuid<LetterId>(request.params.id)
      const letter = id === null ? null : await store.findLetter(callerOf(request).merchantId, id)
      if (letter === null) throw ApiError.notKnown('letter')
      return reply.send(answerText({ letter: letterView(letter) }))
    },
  )
}

function filterFrom(query: Static<typeof listQuery>): LetterFilter {
  const transaction = query.transaction === undefined ? null : parseUuid<TransactionId>(query.transaction)
  if (query.transaction !== undefined && transaction === null) {
    throw new ApiError(422, { transaction: "transaction must be a Transaction's id." })
  }
  const [email, proven] = [query.email === undefined ? null : lowerCaseEmail(query.email), flagFrom(query.proven)]
  return { ...pageFrom(query, parseUuid<LetterId>), transaction, email, proven }
}
