export * from './client/index.ts'
export type {
  ErrorHook,
  FarHook,
  FarOrErrorHook,
  Hook,
  HookOfRoute,
  NotificationHook,
  PreSaleHook,
  TransactionHook,
  UnroutedHook,
  UpdateHook,
} from './hook.ts'
export {
  BadSignatureError,
  BodyAlreadyParsedError,
  HookError,
  type HookErrorCode,
  MissingParameterError,
  NotJsonError,
  TooLargeError,
  TooOldError,
  WrongKindError,
} from './hook-errors.ts'
export { type HookDetails, type HookKind, type HookType, hookSchemas } from './hook-schemas.ts'
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts'
export { type HookStore, type OnceOptions, once } from './once.ts'
export { type HookInput, hookBytesMax, type ParseOptions, parseHook } from './parse-hook.ts'
export { parseStandardWebhook } from './parse-standard-webhook.ts'
export { type AskedPaymentMail, type PaymentMail, type PaymentMailFacts, paymentMail } from './payment-mail.ts'
export type { PrivateKeys } from './private-keys.ts'
export { hookBody, signDetails, verifyHook } from './sign.ts'
export { standardWebhooksBody, standardWebhooksHeaders, standardWebhooksSignature } from './standard-webhooks.ts'
export { StillRunningError } from './still-running-error.ts'
export { type AskedToken, createToken, type TokenKeys, type TokenTarget } from './token.ts'
export {
  type HeadersLike,
  type StandardWebhook,
  type StandardWebhookOptions,
  verifyStandardWebhook,
} from './verify-standard-webhook.ts'
