// The table of public errors, but for those of a charge, which are in core. Every answer that is not a success has
// `errors`: one sentence by field, or under `general`. What we did not expect says nothing but its request id.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Errors } from '../core/answer.ts'
import { AwayError } from '../core/away.ts'
import { answerText } from '../core/json.ts'
import type { Role } from '../core/login.ts'
import { UnreadableArgumentsError, wrongContentType } from './arguments.ts'
import { bytesKeyword } from './fields.ts'
import { type ArgumentSchema, sayUnknown, unknownNamedMax } from './known-arguments.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The member that holds the thing an answer is about: null in an error. */
    readonly about?:
      | 'transaction'
      | 'offer'
      | 'link'
      | 'token'
      | 'gateway'
      | 'card'
      | 'card_link'
      | 'customer'
      | 'clock'
      | 'hook_endpoint'
      | 'hook_delivery'
      | 'hook_listener'
      | 'hook_request'
      | 'resent'
      | 'letter'
      | 'payment_page'
      | 'mail_settings'
  }
}

export class ApiError extends Error {
  readonly status: number
  readonly errors: Errors
  readonly headers: { readonly [name: string]: string }

  constructor(status: number, errors: Errors, headers: { readonly [name: string]: string } = {}) {
    super(Object.values(errors).join(' '))
    this.status = status
    this.errors = errors
    this.headers = headers
  }

  static unauthorized(): ApiError {
    const sentence = 'An API key and its secret are required as HTTP basic credentials, and these are not known.'
    return new ApiError(401, { general: sentence }, { 'WWW-Authenticate': 'Basic realm="Tillbell", charset="UTF-8"' })
  }

  static notSignedIn(): ApiError {
    return new ApiError(401, { general: 'Sign in first.' })
  }

  static notForRole(needs: Role): ApiError {
    const general = needs === 'owner' ? 'Only an owner may do this.' : 'Only an owner or a developer may do this.'
    return new ApiError(403, { general })
  }

  static tooMany(general: string, retryAfterS: number): ApiError {
    return new ApiError(429, { general }, { 'Retry-After': String(retryAfterS) })
  }

  static notKnown(field: string): ApiError {
    return new ApiError(404, { [field]: `${field} is not known.` })
  }
}

export const notRemoved = 'The gateway did not confirm that it removed a card. Try again.'
export const perhapsStored = 'The payment gateway did not say whether it stored the card. Try again.'

/** Passed on from a gateway that asked to be left alone. */
export function retryAfter(afterMs: number | undefined): { readonly [name: string]: string } {
  return afterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(afterMs / 1_000)) }
}

/** What the framework refuses before a route sees it. */
const frameworkErrors: { readonly [code: string]: { status: number; general: string } } = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, general: wrongContentType },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, general: 'The body is not as long as Content-Length says.' },
  FST_ERR_BAD_URL: { status: 400, general: 'The path is not valid.' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, general: 'The path is too long.' },
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, errors, headers } = publicError(error as FastifyError, request)
  const about = request.routeOptions.config?.about
  const envelope = about === undefined ? {} : { [about]: null }
  return reply
    .code(status)
    .headers(headers)
    .send(answerText({ ...envelope, errors }))
}

export function publicError(
  error: FastifyError | ApiError | UnreadableArgumentsError,
  request: FastifyRequest,
): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UnreadableArgumentsError) return new ApiError(error.status, error.errors)
  if (error.validation !== undefined) return new ApiError(422, validationErrors(error, request))
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const maxKiB = request.routeOptions.bodyLimit / 1_024
    return new ApiError(413, { general: `The body is larger than ${maxKiB} KiB.` })
  }
  const known = frameworkErrors[error.code]
  if (known !== undefined) return new ApiError(known.status, { general: known.general })
  request.log.error({ err: error }, 'request failed')
  if (error instanceof AwayError) return away(request.id)
  return new ApiError(500, { general: `Something went wrong on our side. The request id is ${request.id}.` })
}

/** Where what is stored is away for a moment. */
export const comeAgain = { 'Retry-After': '2' }

/** It may have been done all the same: who asks again without the key of the first time may do it twice. */
function away(requestId: string): ApiError {
  const general = `The service's data is away for a moment, and this may have been done or not. Ask again, under the same Idempotency-Key. The request id is ${requestId}.`
  return new ApiError(503, { general }, comeAgain)
}

type Invalid = NonNullable<FastifyError['validation']>[number]

function validationErrors(
  { validation = [], validationContext = 'body' }: FastifyError,
  request: FastifyRequest,
): Errors {
  const schemas = request.routeOptions.schema as { readonly [context: string]: ArgumentSchema } | undefined
  const isQuery = validationContext === 'querystring'
  const given = (isQuery ? request.query : {}) as { readonly [name: string]: unknown }
  const isUnknown = ({ keyword }: Invalid) => keyword === 'additionalProperties'
  const unknown = validation.filter(isUnknown)
  const explained = new Set(unknown.map(({ instancePath }) => instancePath.split('/')[1]))
  const others = validation
    .filter(each => !isUnknown(each))
    .filter(({ instancePath }) => instancePath === '' || !explained.has(instancePath.split('/')[1]))
    // The last sentence about a field is the one that is sent: a text of too many characters has too many bytes as well.
    .toSorted((one, other) => Number(isAboutBytes(other)) - Number(isAboutBytes(one)))
  const bodySchema = isQuery ? (schemas?.body ?? null) : null
  return Object.fromEntries([
    ...others.map(each => sayInvalid(each, schemas?.[validationContext], given)),
    ...unknown.slice(0, unknownNamedMax).map(each => sayUnknown({ ...unknownIn(each), bodySchema })),
  ])
}

const isAboutBytes = ({ keyword }: Invalid) => keyword === bytesKeyword

function sayInvalid(
  { keyword, instancePath, params }: Invalid,
  schema: ArgumentSchema | undefined,
  given: { readonly [name: string]: unknown },
): readonly [field: string, sentence: string] {
  const isMissing = keyword === 'required' && instancePath === ''
  const field = isMissing ? String(params.missingProperty) : (instancePath.split('/')[1] ?? 'general')
  if (isMissing) return [field, `${field} is required.`]
  if (Array.isArray(given[field])) return [field, `${field} is given more than once.`]
  return [field, `${field} ${saysOf(keyword, schema?.properties?.[field])}`]
}

/** The validator is told to say which schema it was. */
function unknownIn({ instancePath, params, ...others }: Invalid) {
  const path = instancePath.split('/').slice(1)
  const { parentSchema } = others as unknown as { readonly parentSchema: ArgumentSchema }
  return {
    path: path.map(each => each.replaceAll('~1', '/').replaceAll('~0', '~')),
    name: String(params.additionalProperty),
    schema: parentSchema,
  }
}

function saysOf(keyword: string | undefined, field: ArgumentSchema = {}): string {
  if (keyword === bytesKeyword) return `must have at most ${field.bytesMax} bytes as JSON text.`
  return field.says ?? 'is not valid.'
}
