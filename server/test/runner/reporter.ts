// Collects what node:test says in a worker, for the file that runs there. Each file is a suite of its own at the top.

import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { Failure, Summary } from './messages.ts'

let names: string[] = []
let passed = 0
let skipped: string[] = []
let notes: string[] = []
let failures: Failure[] = []
let completed: ((summary: Summary) => void) | undefined

/** What the file that is begun now came to. */
export function nextSummary(): Promise<Summary> {
  names = []
  passed = 0
  skipped = []
  notes = []
  failures = []
  return new Promise(resolve => {
    completed = resolve
  })
}

export default async function* collect(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:start') names = [...names.slice(0, data.nesting), data.name]
    else if (type === 'test:pass') passes(data)
    else if (type === 'test:fail') fails(data)
    else if (type === 'test:diagnostic' && data.nesting > 0) notes.push(data.message)
    // What went wrong outside of every test is said when the process ends.
    else if (type === 'test:diagnostic' && /^(Error|Warning):/.test(data.message)) yield `${data.message}\n`
    // A reporter is a generator; else this one writes nothing.
    yield ''
  }
}

type Result = Pick<Extract<TestEvent, { type: 'test:pass' }>['data'], 'name' | 'nesting' | 'skip' | 'todo'>

function passes(result: Result): void {
  if (result.nesting === 0) complete()
  else if (result.skip !== undefined && result.skip !== false) skipped.push(`${path(result)}: ${result.skip}`)
  else passed++
}

function fails(result: Extract<TestEvent, { type: 'test:fail' }>['data']): void {
  const { error } = result.details
  // What fails around a test that failed says nothing new.
  if (!('failureType' in error && error.failureType === 'subtestsFailed')) {
    failures.push({ test: path(result), text: described(error) })
  }
  if (result.nesting === 0) complete()
}

function complete(): void {
  completed?.({ passed, skipped, notes, failures })
  completed = undefined
}

const path = ({ name, nesting }: Result) => [...names.slice(1, nesting), name].join(' › ')

/** node:test wraps what was thrown. */
function described(error: Error): string {
  const { cause } = error
  return cause instanceof Error ? inspect(cause) : (error.stack ?? inspect(error))
}
