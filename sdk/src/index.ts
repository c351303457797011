export { type HookDetails, type HookKind, type HookType, hookSchemas } from './hook-schemas.ts'
export { hookBody, signDetails, verifyHook } from './sign.ts'
export { standardWebhooksHeaders, standardWebhooksSignature } from './standard-webhooks.ts'
