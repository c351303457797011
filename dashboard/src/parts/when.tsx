import { createContext, use } from 'react'
import { useMe } from '../ask/me.tsx'
import { useLanguage } from '../words/language.tsx'
import { exactUtc, shownAgo, shownTime, shownWholeTime } from '../words/shown-time.ts'
import { useNow } from './now.ts'

/** In the rows of a table a time is no stop of the Tab key: there would be dozens, and a row leads to a page that has one. */
export const WhenIsStill = createContext(false)

interface WhenProps {
  /** As the service says it. */
  readonly at: string
  /** `3 minutes ago`; else the day and the time, or of another year the day. */
  readonly relative?: boolean
  /** Whole: with the day and the seconds. */
  readonly whole?: boolean
  /** By the real clock, as sessions and keys are: the sandbox does not move it. */
  readonly real?: boolean
}

/** A time in the viewer's zone. Hover and focus show it exactly, in UTC. */
export function When({ at, relative = false, whole = false, real = false }: WhenProps) {
  const { locale } = useLanguage()
  const { clock_offset_s } = useMe()
  const serviceNow = useNow()
  const now = real ? new Date(serviceNow.getTime() - clock_offset_s * 1_000) : serviceNow
  const isStill = use(WhenIsStill)
  const time = new Date(at)
  const exact = exactUtc(time)
  const shown = whole
    ? shownWholeTime(time, locale)
    : relative
      ? shownAgo(time, now, locale)
      : shownTime(time, now, locale)
  return (
    <time
      dateTime={at}
      title={exact}
      // What hovering shows, the keyboard must show as well.
      tabIndex={isStill ? undefined : 0}
      className="group/when relative whitespace-nowrap rounded-sm"
    >
      {shown}
      <span
        aria-hidden="true"
        className="absolute bottom-full left-0 z-20 mb-1 hidden rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-raised group-focus-visible/when:block"
      >
        {exact}
      </span>
    </time>
  )
}
