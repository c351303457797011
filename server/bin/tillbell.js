#!/usr/bin/env node
// Checks the runtime before anything is loaded that an older one cannot read.

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `Tillbell needs Node 24.7 or newer; this is ${process.version}. npm installs one beside it on Linux, Windows and ` +
      'Intel Macs: use npm start or npx tillbell. Elsewhere, install Node 24 yourself.\n',
  )
  process.exit(3)
}
const { run } = await import('../src/cli/run.ts')
await run(process.argv.slice(2))
