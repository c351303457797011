// A table. On a phone each row becomes a card: the cells stand below each other, with the names of their columns.

import { Link, type LinkProps } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { useWords } from '../words/language.tsx'
import { type List, useList } from './back-to-list.ts'
import { classes } from './classes.ts'
import { Skeleton } from './skeleton.tsx'
import { WhenIsStill } from './when.tsx'
import { words } from './words.ts'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** Amounts and counts. */
  readonly end?: boolean
  /** The name is for those who do not see the table: buttons need none. */
  readonly hideName?: boolean
  /** Not on a phone, where the row's page has it. */
  readonly wideOnly?: boolean
  /** Takes the room that is left, and cuts off what is longer. */
  readonly grows?: boolean
  /** Goes on in the next line instead of being cut off: where the end tells one from another. */
  readonly wraps?: boolean
}

interface TableProps<Row> {
  /** What the table lists, for those who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Where a row leads. Its first cell is the link, and a click anywhere on the row follows it. */
  readonly linkOf?: (row: Row) => Pick<LinkProps, 'to' | 'params' | 'search'>
  /** Where the first cell does not tell one row from another: what its link is called by those who do not see the others. */
  readonly nameOf?: (row: Row) => string
  /** The rows are of the filters before. */
  readonly isOld?: boolean
}

// The roles are what the elements have by themselves, until a phone's layout makes blocks of them.
const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const

export function Table<Row>({ caption, columns, rows, keyOf, linkOf, nameOf, isOld = false }: TableProps<Row>) {
  const list = useList()
  return (
    <Box isDim={isOld}>
      <table {...roles.table} className="block w-full text-left sm:table">
        <caption className="sr-only">{caption}</caption>
        <Head columns={columns} />
        <tbody {...roles.group} className="block sm:table-row-group">
          {rows.map(row => (
            // The keyboard has the link in the row.
            <tr
              key={keyOf(row)}
              {...roles.row}
              onClick={followRow}
              className={classes(
                'block border-t border-line px-4 py-3 first:border-t-0 sm:table-row sm:first:border-t',
                linkOf !== undefined && linkedRow,
              )}
            >
              {columns.map((column, index) => (
                <Cell key={column.name} column={column}>
                  {index === 0 && linkOf !== undefined ? (
                    <RowLink link={linkOf(row)} list={list} name={nameOf?.(row)}>
                      {column.cell(row)}
                    </RowLink>
                  ) : (
                    column.cell(row)
                  )}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  )
}

/** The ring is around the row, where it is not cut off: it is the row that the link opens. */
const linkedRow =
  'cursor-pointer hover:bg-sunken has-[a[data-row]:focus-visible]:outline-2 has-[a[data-row]:focus-visible]:-outline-offset-2 has-[a[data-row]:focus-visible]:outline-accent'

/**
 * A click on a row is one on its link. Not a link that covers the row: nothing in it could be selected, or hovered over.
 */
function followRow(event: MouseEvent<HTMLTableRowElement>): void {
  const isOnControl = (event.target as Element).closest('a, button, input, select, label, summary, dialog, [popover]')
  if (isOnControl !== null || getSelection()?.type === 'Range') return
  const { ctrlKey, metaKey, shiftKey } = event
  const click = new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey })
  event.currentTarget.querySelector('a[data-row]')?.dispatchEvent(click)
}

/** Several of it may stand in one card; alone it is a card itself. */
function Box({ isDim, children }: { readonly isDim: boolean; readonly children: ReactNode }) {
  return (
    <div
      className={classes(
        'overflow-hidden rounded-lg border border-line bg-surface shadow-card transition-opacity',
        'in-[section]:rounded-t-none in-[section]:border-x-0 in-[section]:border-b-0 in-[section]:shadow-none',
        isDim && 'opacity-60',
      )}
    >
      <WhenIsStill value>{children}</WhenIsStill>
    </div>
  )
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead {...roles.group} className="sr-only bg-sunken text-xs text-soft sm:not-sr-only sm:table-header-group">
      <tr {...roles.row}>
        {columns.map(column => (
          <th
            key={column.name}
            {...roles.head}
            scope="col"
            className={classes('px-4 py-2 font-medium whitespace-nowrap', column.end === true && 'text-right')}
          >
            <span className={column.hideName === true ? 'sr-only' : undefined}>{column.name}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Cell<Row>({ column, children }: { readonly column: Column<Row>; readonly children: ReactNode }) {
  return (
    <td
      {...roles.cell}
      className={classes(
        'items-center gap-4 py-0.5 sm:table-cell sm:px-4 sm:py-2.5',
        column.wideOnly === true ? 'hidden' : 'flex',
        column.hideName === true ? 'justify-end' : 'justify-between',
        column.end === true && 'sm:text-right',
        column.grows === true && 'sm:w-full sm:max-w-0',
      )}
    >
      {column.hideName !== true && (
        <span aria-hidden="true" className="shrink-0 text-soft sm:hidden">
          {column.name}
        </span>
      )}
      <div className={classes('min-w-0', column.wraps === true ? 'break-words' : 'truncate')}>{children}</div>
    </td>
  )
}

interface RowLinkProps {
  readonly link: Pick<LinkProps, 'to' | 'params' | 'search'>
  readonly list: List
  readonly name: string | undefined
  readonly children: ReactNode
}

function RowLink({ link, list, name, children }: RowLinkProps) {
  return (
    <Link
      {...(link as LinkProps)}
      state={{ list }}
      data-row=""
      aria-label={name}
      className="font-medium text-ink focus-visible:outline-none"
    >
      {children}
    </Link>
  )
}

/** While the first answer is on its way. */
export function TableSkeleton({ columns, rows = 8 }: { readonly columns: number; readonly rows?: number }) {
  const say = useWords(words)
  return (
    <Box isDim={false}>
      <span role="status" className="sr-only">
        {say.loading}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={row} className="flex gap-6 border-t border-line px-4 py-3.5 first:border-t-0">
          {Array.from({ length: columns }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
            <Skeleton key={column} className="h-4 flex-1" />
          ))}
        </div>
      ))}
    </Box>
  )
}
