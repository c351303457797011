// For runtimes with Node's modules: Node itself, Bun and Deno.

import { check } from './check.cjs'
import { modules } from './modules.mjs'
import { checkServer } from './server.cjs'

await check(modules)
await checkServer(modules)
process.stdout.write('kept\n')
