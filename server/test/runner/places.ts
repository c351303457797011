import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** Survives a run: what one run has compiled, the next need not. `npm ci` removes it. */
export const cacheFolder = join(root, 'node_modules/.cache/tillbell-tests')
