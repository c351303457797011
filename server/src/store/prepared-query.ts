// A statement on its way, as we use them: prepared under a name, and its rows are objects with camelCase members. The driver's own has
// the names and types of the columns sent with every answer, and copies its settings for every statement. Here they are sent once.

import pg from 'pg'
import { type Row, type Rows, toCamel } from './sql.ts'

type Parse = (text: string) => unknown

/** The columns of a statement's answer. */
interface Shape {
  readonly names: readonly string[]
  readonly parsers: readonly Parse[]
}

/** The rows, how many it found or changed, and what it was: `COMMIT`, say. */
export type Answered = Rows<Row[]> & { readonly command: string | null }

/** By the name that a statement is prepared under. */
const shapes = new Map<string, Shape>()
const noColumns: Shape = { names: [], parsers: [] }

/** The part of the driver's query that is called or changed here; its published types have none of it. */
interface DriversQuery {
  name: string
  values: readonly unknown[]
  /** After that the connection is given up. */
  query_timeout: number | undefined
  callback: (error: unknown, answered?: unknown) => void
  readonly _result: {
    readonly command: string | null
    readonly rowCount: number | null
    readonly _types: pg.CustomTypesConfig
  }
  prepare(connection: object): void
  handleCommandComplete(message: object, connection: object): void
}

const DriversQuery = pg.Query as unknown as new (text: string) => DriversQuery

interface Prepared {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string
}

type Asker = PromiseWithResolvers<Answered>

class PreparedQuery extends DriversQuery {
  #shape: Shape | null
  #rows: Row[] = []
  #unreadable: unknown = null
  #asker: Asker | null

  constructor({ text, values, name }: Prepared, withinMs: number | undefined, asker: Asker) {
    super(text)
    this.name = name
    this.values = values
    this.query_timeout = withinMs
    this.#shape = shapes.get(name) ?? null
    this.#asker = asker
    // Not written right into the member: V8 makes such functions in old space, and they keep what they know of until the next full collection.
    const callback = (error: unknown, answered?: unknown) => this.#end(error, answered as Answered)
    this.callback = callback
  }

  /** The statement lets go of all that it holds: the driver, where a time is set, wraps the callback in a function of just that kind. */
  #end(error: unknown, answered: Answered): void {
    const asker = this.#asker
    this.#asker = null
    this.#rows = []
    this.values = []
    if (error === null || error === undefined) asker?.resolve(answered)
    else asker?.reject(error)
  }

  override prepare(connection: object): void {
    super.prepare(this.#shape === null ? connection : undescribed(connection))
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#shape = {
      names: fields.map(({ name }) => toCamel(name)),
      parsers: fields.map(({ dataTypeID }) => this._result._types.getTypeParser(dataTypeID, 'text') as Parse),
    }
    shapes.set(this.name, this.#shape)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push(rowOf(this.#shape ?? noColumns, fields))
    } catch (error) {
      this.#unreadable ??= error
      shapes.delete(this.name) // so that the next is told what columns there are now
    }
  }

  override handleCommandComplete(message: object, connection: object): void {
    super.handleCommandComplete(message, connection)
    if (this.#shape === null) shapes.set(this.name, noColumns)
  }

  handleReadyForQuery(): void {
    if (this.#unreadable !== null) this.callback(this.#unreadable)
    else
      this.callback(
        null,
        Object.assign(this.#rows, { count: this._result.rowCount ?? 0, command: this._result.command }),
      )
  }
}

function rowOf({ names, parsers }: Shape, texts: readonly (string | null)[]): Row {
  // A table that was changed under a running process: better no answer than members under the wrong names.
  if (texts.length !== names.length) throw new Error('a statement answers other columns than it did before')
  const row: Row = {}
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? null
    row[names[index] as string] = text === null ? null : (parsers[index] as Parse)(text)
  }
  return row
}

const quiet = new WeakMap<object, object>()

/** The same connection, but that it does not ask what columns are to come. */
function undescribed(connection: object): object {
  const known = quiet.get(connection)
  if (known !== undefined) return known
  const made = Object.create(connection, { describe: { value: () => {} } }) as object
  quiet.set(connection, made)
  return made
}

/** Runs it, prepared under the name. */
export function runPrepared(client: pg.ClientBase, query: Prepared, withinMs: number | undefined): Promise<Answered> {
  const asker = Promise.withResolvers<Answered>()
  client.query(new PreparedQuery(query, withinMs, asker) as unknown as pg.Submittable)
  return asker.promise
}
