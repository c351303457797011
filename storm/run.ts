// npm run storm [-- --minutes N --seed S]: breaks a whole installation for a while, and looks whether anything was lost or done twice.

import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { weather } from './weather-report.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 10)
const seed = Number(values.seed ?? randomInt(2 ** 31))
if (!(minutes > 0 && minutes <= 600) || !Number.isInteger(seed)) {
  process.stderr.write('--minutes is a number up to 600, --seed a whole number.\n')
  process.exit(2)
}
const say = (line: string) => void process.stdout.write(`${line}\n`)
say(`A storm of ${minutes} minutes, seed ${seed}.`)
const end = new AsyncDisposableStack()
let ending: Promise<void> | null = null
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    ending ??= end.disposeAsync().then(() => process.exit(1))
  })
}
process.once('uncaughtException', error => {
  process.stderr.write(`${error.stack}\n`)
  ending ??= end.disposeAsync().then(() => process.exit(1))
})
const report = await weather(seed, minutes * 60_000, say, end).catch(async error => {
  await ending // what a storm says whose house is taken away is of no interest
  throw error
})
const { findings, ...counted } = report
say(JSON.stringify(counted, null, 2))
for (const finding of findings) say(`FINDING: ${finding}`)
say(
  findings.length === 0
    ? 'Nothing was lost, and nothing done twice.'
    : `${findings.length} findings. Again: npm run storm -- --minutes ${minutes} --seed ${seed}`,
)
process.exitCode = findings.length === 0 ? 0 : 1
