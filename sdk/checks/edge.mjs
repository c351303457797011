// For runtimes that have the web's interfaces alone. It is bundled first, as one does for them.

import { check } from './check.cjs'
import { modules } from './modules.mjs'

async function answer() {
  try {
    await check(modules)
    return new Response('kept')
  } catch (error) {
    return new Response(String(error.stack ?? error), { status: 500 })
  }
}

export default { fetch: answer }
