// npm run bench [-- NAME …]: runs the benchmarks, prints what they say, and writes it to bench/results/NAME.json. Absolute
// times mean little on a shared machine: goals are ratios where they can be, and every figure names its settings.

import { Console } from 'node:console'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { backlog } from './backlog.ts'
import { charges } from './charges.ts'
import { draw } from './draw.ts'
import { mailFlood, pageFlood, refusalFlood } from './floods.ts'
import { hooks } from './hooks.ts'
import { latency } from './latency.ts'
import { lists } from './lists.ts'
import { noisy } from './noisy.ts'
import { openPace, type Pace } from './pace.ts'
import type { Result } from './result.ts'
import { scale } from './scale.ts'
import { start } from './start.ts'
import { strangers } from './strangers.ts'
import { tokenErrors } from './tokens.ts'

const benchmarks: { readonly [name: string]: (pace: Pace) => Promise<Result> } = {
  hooks,
  charges,
  latency,
  backlog,
  noisy,
  lists,
  scale,
  start,
  tokens: tokenErrors,
  'mail-flood': mailFlood,
  'page-flood': pageFlood,
  'refusal-flood': refusalFlood,
  strangers,
}

const out = new Console(process.stdout)
const asked = process.argv.slice(2)
const unknown = asked.find(name => !(name in benchmarks))
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark "${unknown}"; there are ${Object.keys(benchmarks).join(', ')}.\n`)
  process.exit(2)
}

const machine = {
  cpu: cpus()[0]?.model ?? '',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
}
const folder = join(import.meta.dirname, 'results')
await mkdir(folder, { recursive: true })
let allMet = true
for (const [name, run] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const pace = openPace()
  pace.sample()
  const { settings, rows, goals, title, bars } = await run(pace)
  pace.sample()
  const pieceMs = pace.pieceMs()
  const result = { name, at: new Date().toISOString(), machine: { ...machine, pieceMs }, settings, rows, goals }
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  await writeFile(join(folder, `${name}.svg`), draw({ title, bars, goals }))
  out.log(name, settings)
  out.table(rows)
  const { fastest, median, slowest } = pieceMs
  out.log(`a piece of work took this machine ${median} ms in the median, between ${fastest} and ${slowest}`)
  for (const { goal, value, met } of goals) out.log(`${met ? 'met    ' : 'NOT MET'} ${goal}: ${value.toFixed(2)}`)
  allMet &&= goals.every(({ met }) => met)
}
process.exitCode = allMet ? 0 : 1
