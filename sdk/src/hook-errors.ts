// Why a request is not a hook that can be believed. Each has a `code` for programs, a sentence for the developer that says what is
// wrong and how to mend it, and the HTTP `status` to answer with. The sentence is for the application's own log: it may say
// what is wrong with the key. To whoever asked, `answer` says it in general.

export type HookErrorCode =
  | 'missing_parameter'
  | 'bad_signature'
  | 'body_already_parsed'
  | 'not_json'
  | 'too_large'
  | 'wrong_kind'
  | 'too_old'

export abstract class HookError extends Error {
  abstract readonly code: HookErrorCode
  abstract readonly status: number
  /** What may be told to a stranger. */
  abstract readonly answer: string
}

/** A parameter, or a header of Standard Webhooks, is not there, or not there once. */
export class MissingParameterError extends HookError {
  override readonly name = 'MissingParameterError'
  readonly code = 'missing_parameter'
  readonly status = 400
  readonly answer: string
  readonly parameter: string

  constructor(parameter: string, message: string) {
    super(message)
    this.parameter = parameter
    this.answer = `A hook has ${parameter}, once.`
  }
}

/** Somebody else sent it, or what was signed is not what was given. `hint` says which, where that can be told. */
export class BadSignatureError extends HookError {
  override readonly name = 'BadSignatureError'
  readonly code = 'bad_signature'
  readonly status = 403
  readonly answer = 'The signature does not verify.'
  readonly hint: string | null

  constructor(hint: string | null) {
    const otherwise =
      'Either somebody else sent it, or the key is not the merchant’s current Private Key, exactly as the service shows it.'
    super(`The signature does not verify. ${hint ?? otherwise}`)
    this.hint = hint
  }
}

/** Something read the body before, and what was signed is gone. */
export class BodyAlreadyParsedError extends HookError {
  override readonly name = 'BodyAlreadyParsedError'
  readonly code = 'body_already_parsed'
  readonly status = 400
  readonly answer = 'The application cannot see the body as it was sent.'

  constructor(found: string) {
    super(
      `${found} The signature is over the exact text of details, so give the body as it came (text or bytes), or ` +
        '{ details, signature } as text after URL decoding. Express: use @tillbell/sdk/express before any body parser, or express.text({ type: ' +
        "'*/*' }). Fastify: register hookPlugin of @tillbell/sdk/fastify. Next.js: await request.text(), or hookRoute of @tillbell/sdk/next.",
    )
  }
}

/** It verifies, and is no JSON object: whoever signed it is not Tillbell. */
export class NotJsonError extends HookError {
  override readonly name = 'NotJsonError'
  readonly code = 'not_json'
  readonly status = 400
  readonly answer = 'details must be a JSON object.'

  constructor() {
    super('details verifies, but is not a JSON object. What signed it is not a Tillbell service.')
  }
}

export class TooLargeError extends HookError {
  override readonly name = 'TooLargeError'
  readonly code = 'too_large'
  readonly status = 413
  readonly answer: string

  constructor(bytesMax: number) {
    super(`The body has more than ${bytesMax} bytes. No hook is that large.`)
    this.answer = this.message
  }
}

/** A hook came to a route that is for others: an endpoint's URL is not the one that was meant. */
export class WrongKindError extends HookError {
  override readonly name = 'WrongKindError'
  readonly code = 'wrong_kind'
  readonly status = 400
  readonly answer: string

  constructor(route: string, type: unknown) {
    const said = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : 'nothing'
    super(
      `This route is for ${route}, and the hook’s type says ${said}. Compare the URLs of your endpoints with the routes of your application.`,
    )
    this.answer = this.message
  }
}

/** A Standard Webhooks timestamp that is too far from now: perhaps an old request that somebody sends again. */
export class TooOldError extends HookError {
  override readonly name = 'TooOldError'
  readonly code = 'too_old'
  readonly status = 403
  readonly answer = 'webhook-timestamp is too far from now.'

  constructor(toleranceS: number) {
    super(`webhook-timestamp is more than ${toleranceS} s from now. Is the clock of this machine right?`)
  }
}
