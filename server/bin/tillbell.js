#!/usr/bin/env node
// Checks the runtime before anything is loaded that an older one cannot read.

import { runByPackagedNode } from './packaged-node.js'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  runByPackagedNode()
} else {
  await import('./keep-compiled.js')
  const { run } = await import('../src/cli/run.ts')
  await run(process.argv.slice(2))
}
