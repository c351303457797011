// For runtimes that have the web's interfaces alone. It is bundled first, as one does for them.

import { check } from './check.cjs'
import { modules } from './modules.mjs'

/** `workerd test` calls it. */
const test = () => check(modules)

export default { test }
