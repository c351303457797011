// SQL as tagged templates: what stands in ${} becomes a parameter, another template becomes part of the text, sql(names)
// becomes quoted names and sql(row) the columns and values of an insert. Nothing reaches the text unquoted but `unsafe`.
//
// A statement runs when it is awaited, so that one can also be a piece of another.

export type Row = Record<string, unknown>
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

export interface Written {
  readonly text: string
  readonly values: readonly unknown[]
}

export type Rows<List extends readonly object[]> = List[number][] & { readonly count: number }

/** A piece of a statement: names, the columns and values of a row, or another statement. */
export class Piece {
  /** Its text; the values that it refers to are added to the list. */
  readonly textWith: (values: unknown[]) => string
  constructor(textWith: (values: unknown[]) => string) {
    this.textWith = textWith
  }
}

export interface Statement<List extends readonly object[]> extends Piece, PromiseLike<Rows<List>> {
  /** Runs it without waiting. */
  start(): Promise<Rows<List>>
}

export interface Sql {
  <List extends readonly object[] = Row[]>(strings: TemplateStringsArray, ...values: unknown[]): Statement<List>
  (nameOrNames: string | readonly string[]): Piece
  (row: { readonly [column: string]: unknown }): Piece
  /** A value of type json or jsonb. */
  json(value: Json): unknown
  /** Text as it is: never with anything from outside. Alone, it may be several statements. */
  unsafe(text: string): Statement<Row[]>
}

export type Run = (written: Written) => Promise<Rows<Row[]>>

class Lazy extends Piece implements Statement<Row[]> {
  readonly #run: Run
  #running: Promise<Rows<Row[]>> | null = null

  constructor(run: Run, textWith: (values: unknown[]) => string) {
    super(textWith)
    this.#run = run
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting it is what runs it
  then<A = Rows<Row[]>, B = never>(
    onDone?: ((rows: Rows<Row[]>) => A | PromiseLike<A>) | null,
    onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.start().then(onDone, onFailed)
  }

  start(): Promise<Rows<Row[]>> {
    this.#running ??= this.#send()
    return this.#running
  }

  async #send(): Promise<Rows<Row[]>> {
    const values: unknown[] = []
    const text = this.textWith(values)
    return this.#run({ text, values })
  }
}

export function createSql(run: Run): Sql {
  const sql = (first: unknown, ...values: unknown[]): unknown => {
    if (isTemplate(first)) return new Lazy(run, into => template(first, values, into))
    if (typeof first === 'string') return new Piece(() => quoted(first))
    if (Array.isArray(first)) return new Piece(() => first.map(quoted).join(', '))
    return new Piece(into => insertion(first as Row, into))
  }
  return Object.assign(sql, {
    json: (value: Json) => JSON.stringify(value),
    unsafe: (text: string) => new Lazy(run, () => text),
  }) as Sql
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value
}

function template(strings: TemplateStringsArray, given: readonly unknown[], values: unknown[]): string {
  let text = strings[0] ?? ''
  for (let index = 1; index < strings.length; index++) text += placed(given[index - 1], values) + strings[index]
  return text
}

function placed(value: unknown, values: unknown[]): string {
  if (value instanceof Piece) return value.textWith(values)
  // A forgotten member would become a silent null.
  if (value === undefined) throw new Error('a value of a statement is undefined')
  values.push(value)
  return `$${values.length}`
}

function insertion(row: Row, values: unknown[]): string {
  const columns = Object.keys(row).map(columnOf)
  const placeholders = Object.values(row).map(value => placed(value, values))
  return `(${columns.join(', ')}) values (${placeholders.join(', ')})`
}

function quoted(name: string): string {
  return name
    .split('.')
    .map(part => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

/** Of a member, quoted. The same few hundred are written all day. */
const columns = new Map<string, string>()

function columnOf(name: string): string {
  const known = columns.get(name)
  if (known !== undefined) return known
  const column = quoted(toSnake(name))
  columns.set(name, column)
  return column
}

/** Columns are snake_case there and camelCase here. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

export function toCamel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
