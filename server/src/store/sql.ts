// SQL as tagged templates: what stands in ${} becomes a parameter, another template becomes part of the text, sql(names)
// becomes quoted names and sql(row) the columns and values of an insert. Nothing reaches the text unquoted but `unsafe`.
//
// A statement runs when it is awaited, so that one can also be a piece of another.

export type Row = Record<string, unknown>
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

export interface Written {
  readonly text: string
  readonly values: readonly unknown[]
  /** The same for the same text, which it can be prepared under. Null: it has no values, and may be several statements. */
  readonly name: string | null
}

export type Rows<List extends readonly object[]> = List[number][] & { readonly count: number }

/** A piece of a statement: names, the columns and values of a row, or another statement. */
export class Piece {
  readonly write: (into: Writing) => void
  constructor(write: (into: Writing) => void) {
    this.write = write
  }
}

/**
 * The texts of our statements, as a tree of the pieces that they are put together of. A statement that was written before is found by the
 * way through its pieces: to join a text of a thousand characters and look for it among the others took longer than all else here.
 */
class Text {
  readonly #piece: string
  readonly #before: Text | null
  readonly #next = new Map<string, Text>()
  #whole: { readonly text: string; readonly name: string } | null = null
  static #named = 0

  constructor(piece: string, before: Text | null) {
    this.#piece = piece
    this.#before = before
  }

  followedBy(piece: string): Text {
    const known = this.#next.get(piece)
    if (known !== undefined) return known
    const made = new Text(piece, this)
    this.#next.set(piece, made)
    return made
  }

  get whole() {
    if (this.#whole !== null) return this.#whole
    Text.#named += 1
    this.#whole = { text: this.#joined(), name: `s${Text.#named}` }
    return this.#whole
  }

  #joined(): string {
    const pieces: string[] = []
    for (let at: Text | null = this; at !== null; at = at.#before) pieces.push(at.#piece)
    return pieces.reverse().join('')
  }
}

const noText = new Text('', null)

/** A statement while it is written. */
class Writing {
  readonly values: unknown[] = []
  #text = noText

  add(piece: string): void {
    if (piece !== '') this.#text = this.#text.followedBy(piece)
  }

  addValue(value: unknown): void {
    // A forgotten member would become a silent null.
    if (value === undefined) throw new Error('a value of a statement is undefined')
    this.values.push(value)
    this.add(placeholderOf(this.values.length))
  }

  get written(): Written {
    const { text, name } = this.#text.whole
    return { text, values: this.values, name: this.values.length > 0 ? name : null }
  }
}

const placeholders: string[] = []

function placeholderOf(number: number): string {
  placeholders[number] ??= `$${number}`
  return placeholders[number]
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
  readonly #alone: string | null
  #running: Promise<Rows<Row[]>> | null = null

  /** `alone`: its text where it is not a piece of another, sent as it is and not remembered. */
  constructor(run: Run, write: (into: Writing) => void, alone: string | null = null) {
    super(write)
    this.#run = run
    this.#alone = alone
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
    if (this.#alone !== null) return this.#run({ text: this.#alone, values: [], name: null })
    const writing = new Writing()
    this.write(writing)
    return this.#run(writing.written)
  }
}

export function createSql(run: Run): Sql {
  const sql = (first: unknown, ...values: unknown[]): unknown => {
    if (isTemplate(first)) return new Lazy(run, into => template(first, values, into))
    if (typeof first === 'string') return new Piece(into => into.add(quoted(first)))
    if (Array.isArray(first)) return new Piece(into => into.add(first.map(quoted).join(', ')))
    return new Piece(into => insertion(first as Row, into))
  }
  return Object.assign(sql, {
    json: (value: Json) => JSON.stringify(value),
    unsafe: (text: string) => new Lazy(run, into => into.add(text), text),
  }) as Sql
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value
}

function template(strings: TemplateStringsArray, given: readonly unknown[], into: Writing): void {
  into.add(strings[0] ?? '')
  for (let index = 1; index < strings.length; index++) {
    place(given[index - 1], into)
    into.add(strings[index] ?? '')
  }
}

function place(value: unknown, into: Writing): void {
  if (value instanceof Piece) value.write(into)
  else into.addValue(value)
}

function insertion(row: Row, into: Writing): void {
  const values = Object.values(row)
  into.add(insertionOf(Object.keys(row)))
  for (let index = 0; index < values.length; index++) {
    if (index > 0) into.add(', ')
    place(values[index], into)
  }
  into.add(')')
}

function quoted(name: string): string {
  return name
    .split('.')
    .map(part => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

/** What goes before the values of an insert, by its members. The same few are written all day. */
const insertions = new Map<string, string>()

function insertionOf(members: readonly string[]): string {
  const key = members.join()
  const known = insertions.get(key)
  if (known !== undefined) return known
  const made = `(${members.map(member => quoted(toSnake(member))).join(', ')}) values (`
  insertions.set(key, made)
  return made
}

/** Columns are snake_case there and camelCase here. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

export function toCamel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
