// Loaded before the service: its clock is the machine's, plus what a file says. What jumps is the time of day; how long something takes is not.
// And it ends with the storm that started it, however that ended.

import { readFileSync } from 'node:fs'

const file = process.env.STORM_CLOCK ?? ''
const RealDate = Date
const storm = process.ppid
let offsetMs = 0
setInterval(() => {
  if (process.ppid !== storm) process.kill(process.pid, 'SIGKILL')
  try {
    offsetMs = Number(readFileSync(file, 'utf8'))
  } catch {
    offsetMs = 0
  }
}, 100).unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + offsetMs] : given, newTarget),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + offsetMs : Reflect.get(target, name, receiver),
})
