// Form bodies and queries with brackets: a[b]=1, a[]=1, a[0]=1.

export type FormValue = string | FormValue[] | { [name: string]: FormValue }
export interface Form {
  [name: string]: FormValue
}

export function parseForm(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) put(form, keysOf(name), value)
  return form
}

function keysOf(name: string): [string, ...string[]] {
  const [head = '', ...rest] = name.split('[')
  return [head, ...rest.map(part => part.replace(/\]$/, ''))]
}

function put(into: Form, [key, next, ...rest]: [string, ...string[]], value: string): void {
  if (next === undefined) {
    into[key] = value
    return
  }
  if (/^\d*$/.test(next)) {
    const list = Array.isArray(into[key]) ? into[key] : []
    into[key] = list
    if (rest.length === 0) list.push(value)
    else put(atIndex(list, next), rest as [string, ...string[]], value)
    return
  }
  const inner = into[key]
  const object: Form = typeof inner === 'object' && !Array.isArray(inner) ? inner : {}
  into[key] = object
  put(object, [next, ...rest], value)
}

function atIndex(list: FormValue[], index: string): Form {
  const at = index === '' ? list.length : Number(index)
  const known = list[at]
  if (typeof known === 'object' && !Array.isArray(known)) return known
  const made: Form = {}
  list[at] = made
  return made
}

/** Checked before: only to be told apart from absent. */
export function textIn(form: Form, name: string): string | null {
  const value = form[name]
  return typeof value === 'string' ? value : null
}
export function integerIn(form: Form, name: string): number | null {
  const value = textIn(form, name)
  return value === null ? null : Number(value)
}
export function isSet(form: Form, name: string): boolean {
  return form[name] === 'true'
}
export function listIn(form: Form, name: string): readonly string[] {
  const value = form[name]
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}
export function formIn(form: Form, name: string): Form {
  const value = form[name]
  return typeof value === 'object' && !Array.isArray(value) ? value : {}
}
export function metadataIn(form: Form): { [name: string]: string } {
  const pairs = Object.entries(formIn(form, 'metadata'))
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
