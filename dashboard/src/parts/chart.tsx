// Charts of our own: bars for how much, a line for how well. A slider of the browser's lies over each, so that the pointer,
// a finger and the arrow keys choose a point alike, and a screen reader says it. The same numbers are there as a table.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { labelEvery, ticksTo } from './chart-scale.ts'
import { classes } from './classes.ts'
import { words } from './words.ts'

export interface Point {
  /** When: tells it from the others. */
  readonly at: string
  /** The same, short, for the axis. */
  readonly label: string
  /** Null: there is none, and the line has a gap. */
  readonly value: number | null
  /** The value as a person reads it. */
  readonly shown: string
}

interface ChartProps {
  /** What it shows, for the table and for those who do not see it. */
  readonly label: string
  readonly points: readonly Point[]
  /** A number of the axis, as short as possible. */
  readonly tick: (value: number) => string
  /** Where the axis ends: 1 for a rate. Else it follows the largest. */
  readonly top?: number
  /** Names of the table's two columns. */
  readonly columns: readonly [time: string, value: string]
}

export function BarChart(props: ChartProps) {
  return <Chart {...props} draw={bars} />
}

export function LineChart(props: ChartProps) {
  return <Chart {...props} draw={line} />
}

const heightPx = 200
const room = { left: 48, right: 20, top: 12, bottom: 24 }
const labelPx = 64

interface Plot {
  readonly points: readonly Point[]
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  readonly stepPx: number
  readonly chosen: number | null
}

function Chart({ draw, ...props }: ChartProps & { readonly draw: (plot: Plot) => ReactNode }) {
  const { label, points, tick, top, columns } = props
  const [box, widthPx] = useWidth()
  // By its time: where other points come, what was chosen among the former is not among them.
  const [chosenAt, setChosenAt] = useState<string | null>(null)
  const found = points.findIndex(({ at }) => at === chosenAt)
  const chosen = found === -1 ? null : found
  const choose = (index: number | null) => setChosenAt(index === null ? null : (points[index]?.at ?? null))
  const ticks = top === undefined ? ticksTo(largestOf(points)) : [0, top / 2, top]
  const stepPx = (widthPx - room.left - room.right) / Math.max(points.length, 1)
  const high = ticks.at(-1) ?? 1
  const plot: Plot = {
    points,
    stepPx,
    chosen,
    x: index => room.left + stepPx * (index + 0.5),
    y: value => heightPx - room.bottom - (value / high) * (heightPx - room.top - room.bottom),
  }
  return (
    <figure>
      <div ref={box} className="relative h-50" onPointerLeave={() => choose(null)}>
        <svg aria-hidden="true" width={widthPx} height={heightPx} className="absolute inset-0">
          <Axes plot={plot} ticks={ticks} tick={tick} widthPx={widthPx} />
          {draw(plot)}
        </svg>
        {points.length > 0 && <Chooser label={label} plot={plot} choose={choose} />}
        <Bubble plot={plot} widthPx={widthPx} />
      </div>
      <AsTable label={label} points={points} columns={columns} />
    </figure>
  )
}

function largestOf(points: readonly Point[]): number {
  return points.reduce((largest, { value }) => Math.max(largest, value ?? 0), 0)
}

/** The letters of a chart must not be stretched with it, so it is drawn anew for each width. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [widthPx, setWidthPx] = useState(600)
  useEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(([entry]) => entry !== undefined && setWidthPx(entry.contentRect.width))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, widthPx] as const
}

interface AxesProps {
  readonly plot: Plot
  readonly ticks: readonly number[]
  readonly tick: (value: number) => string
  readonly widthPx: number
}

function Axes({ plot, ticks, tick, widthPx }: AxesProps) {
  const every = labelEvery(plot.points.length, widthPx - room.left - room.right, labelPx)
  return (
    <g className="fill-soft text-[0.6875rem] tabular-nums">
      {ticks.map(value => (
        <g key={value}>
          <line
            x1={room.left}
            x2={widthPx - room.right}
            y1={plot.y(value)}
            y2={plot.y(value)}
            className="stroke-line"
          />
          <text x={room.left - 8} y={plot.y(value) + 4} textAnchor="end">
            {tick(value)}
          </text>
        </g>
      ))}
      {plot.points.map(
        ({ at, label }, index) =>
          (plot.points.length - 1 - index) % every === 0 && (
            <text key={at} x={plot.x(index)} y={heightPx - 6} textAnchor="middle">
              {label}
            </text>
          ),
      )}
    </g>
  )
}

function bars({ points, x, y, stepPx, chosen }: Plot): ReactNode {
  const widthPx = Math.max(1, Math.min(stepPx * 0.7, 40))
  return points.map(
    ({ at, value }, index) =>
      value !== null &&
      value > 0 && (
        <rect
          key={at}
          x={x(index) - widthPx / 2}
          width={widthPx}
          y={y(value)}
          height={Math.max(1, y(0) - y(value))}
          rx={Math.min(3, widthPx / 4)}
          className={chosen === null || chosen === index ? 'fill-accent' : 'fill-accent/40'}
        />
      ),
  )
}

function line({ points, x, y, chosen }: Plot): ReactNode {
  const path = points
    .map(({ value }, index) => {
      if (value === null) return ''
      const isFirst = (points[index - 1]?.value ?? null) === null
      return `${isFirst ? 'M' : 'L'}${x(index)} ${y(value)}`
    })
    .join('')
  const dots = points.flatMap(({ value }, index) => {
    const isAlone = points[index - 1]?.value == null && points[index + 1]?.value == null
    return value !== null && (isAlone || index === chosen) ? [{ index, value }] : []
  })
  return (
    <>
      <path
        d={path}
        fill="none"
        className="stroke-accent"
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      {dots.map(({ index, value }) => (
        <circle key={index} cx={x(index)} cy={y(value)} r={index === chosen ? 4 : 2.5} className="fill-accent" />
      ))}
    </>
  )
}

interface ChooserProps {
  readonly label: string
  readonly plot: Plot
  readonly choose: (index: number | null) => void
}

function Chooser({ label, plot: { points, stepPx, chosen }, choose }: ChooserProps) {
  const last = points.length - 1
  const at = chosen ?? last
  const point = points[at]
  return (
    <input
      type="range"
      min={0}
      max={last}
      value={at}
      aria-label={label}
      aria-valuetext={point === undefined ? '' : `${point.label}: ${point.shown}`}
      onChange={event => choose(Number(event.currentTarget.value))}
      onFocus={() => choose(at)}
      onBlur={() => choose(null)}
      onPointerMove={event => {
        const { left } = event.currentTarget.getBoundingClientRect()
        choose(Math.max(0, Math.min(last, Math.floor((event.clientX - left) / stepPx))))
      }}
      style={{ left: room.left, right: room.right, top: 0, bottom: 0, width: stepPx * points.length }}
      className="absolute h-full cursor-crosshair appearance-none rounded bg-transparent [&::-moz-range-thumb]:opacity-0 [&::-webkit-slider-thumb]:opacity-0"
    />
  )
}

const bubblePx = 160

function Bubble({ plot: { points, x, y, chosen }, widthPx }: { readonly plot: Plot; readonly widthPx: number }) {
  const point = chosen === null ? undefined : points[chosen]
  if (point === undefined || chosen === null) return null
  const left = Math.max(0, Math.min(x(chosen) - bubblePx / 2, widthPx - bubblePx))
  const top = y(point.value ?? 0)
  return (
    <div
      aria-hidden="true"
      style={{ left, top: Math.max(0, top - 56), width: bubblePx }}
      className="pointer-events-none absolute rounded-md border border-line bg-raised px-2.5 py-1 text-center text-xs shadow-raised"
    >
      <div className="text-soft">{point.label}</div>
      <div className="font-semibold tabular-nums">{point.shown}</div>
    </div>
  )
}

function AsTable({ label, points, columns }: Pick<ChartProps, 'label' | 'points' | 'columns'>) {
  const say = useWords(words)
  return (
    <details className="mt-2 text-[0.8125rem]">
      <summary className="w-fit text-soft hover:text-ink">{say.asTable}</summary>
      <div className="mt-2 max-h-64 overflow-y-auto">
        <table className="w-full text-left">
          <caption className="sr-only">{label}</caption>
          <thead className="text-soft">
            <tr>
              {columns.map((column, index) => (
                <th key={column} scope="col" className={classes('py-1 font-medium', index === 1 && 'text-right')}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(point => (
              <tr key={point.at} className="border-t border-line">
                <th scope="row" className="py-1 font-normal">
                  {point.label}
                </th>
                <td className="py-1 text-right tabular-nums">{point.shown}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
