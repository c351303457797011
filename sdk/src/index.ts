export { hookBody, signDetails, verifyHook } from './sign.ts'
