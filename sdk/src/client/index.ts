export type * from './api-types.ts'
export type { AnswerFacts } from './call.ts'
export {
  AbortError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DeclinedError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServiceError,
  StoppedByPreSaleError,
  TillbellError,
  TimeoutError,
} from './errors.ts'
export type { Listing, Page } from './listing.ts'
export { answerOf } from './methods.ts'
export type { CallOptions, TillbellOptions } from './settings.ts'
export { Tillbell } from './tillbell.ts'
