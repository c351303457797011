// The methods, made from the table of operations.

import type { Resources } from './api-types.ts'
import { type Answer, type AnswerFacts, type Asked, call } from './call.ts'
import { afterIn, listing } from './listing.ts'
import { type Operation, operations } from './operations.ts'
import type { CallOptions, Settings } from './settings.ts'

export function methodsOf(settings: Settings): Resources {
  const resources = Object.entries(operations).map(([resource, methods]) => {
    const made = Object.entries(methods).map(([name, operation]) => [name, methodOf(settings, operation)])
    return [resource, Object.fromEntries(made)]
  })
  return Object.fromEntries(resources)
}

type Given = readonly unknown[]

function methodOf(settings: Settings, operation: Operation): (...given: Given) => unknown {
  if (operation.gives !== 'pages') return async (...given) => kept(await call(settings, askedIn(operation, given)))
  return (...given) => {
    const asked = askedIn(operation, given)
    return listing(asked.arguments, async page => {
      const answer = await call(settings, { ...asked, arguments: page })
      return { rows: kept(answer) as readonly unknown[], after: afterIn(answer.link) }
    })
  }
}

/** In the order of every method: what the path names, the arguments, the options; each where the operation has it. */
function askedIn(operation: Operation, given: Given): Asked {
  const rest = [...given]
  const name = operation.path.includes('{') ? checkedName(rest.shift(), operation) : null
  const taken = operation.takesArguments ? rest.shift() : undefined
  const [options] = rest
  return { operation, name, arguments: (taken ?? {}) as Asked['arguments'], options: (options ?? {}) as CallOptions }
}

/** A name that is empty, or steps up in the path, would ask for something else. */
function checkedName(name: unknown, { id }: Operation): string {
  if (typeof name === 'string' && !['', '.', '..'].includes(name)) return name
  throw new TypeError(`${id} must be given the id of what it is about, as text.`)
}

/** Beside the thing and not in it: what the service gave is shown as it gave it. */
const answerFacts = new WeakMap<object, AnswerFacts>()

function kept({ thing, facts }: Answer): object {
  answerFacts.set(thing, facts)
  return thing
}

/** How the service answered with this very thing: under which key, and whether it had been done before. */
export function answerOf(thing: object): AnswerFacts | null {
  return answerFacts.get(thing) ?? null
}
