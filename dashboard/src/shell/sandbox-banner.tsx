import { Link } from '@tanstack/react-router'
import { useMe } from '../ask/me.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLanguage, useWords } from '../words/language.tsx'
import { shownSpan } from '../words/shown-time.ts'
import { words } from './words.ts'

/** Always in view in sandbox mode, so that nobody takes it for the other. */
export function SandboxBanner() {
  const { mode, is_demo, clock_offset_s } = useMe()
  const { locale } = useLanguage()
  const say = useWords(words)
  if (mode !== 'sandbox') return null
  return (
    <aside
      aria-label={say.sandbox}
      className="sticky top-0 z-30 border-b border-waits/30 bg-waits-wash px-4 py-1.5 text-center text-[0.8125rem] text-waits"
    >
      <Icon name="sandbox" className="mr-1.5 inline size-4 align-[-0.2em]" />
      <strong className="font-semibold">{say.sandbox}.</strong> {say.noMoney}{' '}
      {clock_offset_s > 0 && `${say.clockAhead(shownSpan(clock_offset_s, locale))} `}
      {is_demo && (
        <Link to="/sandbox" className="underline underline-offset-2">
          {say.openSandbox}
        </Link>
      )}
    </aside>
  )
}
