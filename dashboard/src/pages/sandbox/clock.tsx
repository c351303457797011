import { useQueryClient } from '@tanstack/react-query'
import type { Sandbox } from '../../../../server/src/console/contract/sandbox.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { newKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Refusal } from '../../parts/failure.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { shownSpan } from '../../words/shown-time.ts'
import { words } from './words.ts'

const stepsS = [300, 3_600, 86_400] as const

export function Clock({ sandbox }: { readonly sandbox: Sandbox }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const mayMove = useMay('developer')
  const { now, clock_offset_s, next_due_at } = sandbox
  return (
    <Card title={say.clock} lead={say.clockLead}>
      <Facts>
        <Fact name={say.now}>
          <When at={now} whole />{' '}
          <span className="text-soft">
            · {clock_offset_s > 0 ? say.ahead(shownSpan(clock_offset_s, locale)) : say.real}
          </span>
        </Fact>
        <Fact name={say.next}>{next_due_at === null ? say.nothingDue : <When at={next_due_at} whole />}</Fact>
      </Facts>
      {mayMove ? <Advance sandbox={sandbox} /> : <p className="mt-4 text-soft">{say.onlyDeveloper}</p>}
    </Card>
  )
}

/** Moving the clock does all that falls due on the way, so it may take a while. */
function Advance({ sandbox: { now, next_due_at } }: { readonly sandbox: Sandbox }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const toast = useToast()
  const queries = useQueryClient()
  const move = useChange((advance_s: number) =>
    ask('rest/sandbox/clock', { method: 'POST', json: { advance_s }, key: newKey() }),
  )
  const go = async (advanceS: number) => {
    const asked = await move.run(advanceS)
    // Whatever is shown anywhere may be another by now.
    await queries.invalidateQueries()
    if (asked.ok) toast(say.advanced(shownSpan(advanceS, locale)))
  }
  const nextS = next_due_at === null ? null : Math.ceil((Date.parse(next_due_at) - Date.parse(now)) / 1_000) + 1
  return (
    <>
      <div className="mt-4 mb-2 flex flex-wrap gap-2">
        {stepsS.map(stepS => (
          <Button key={stepS} disabled={move.isRunning} onClick={() => go(stepS)}>
            {say.advance[stepS]}
          </Button>
        ))}
        {nextS !== null && (
          <Button kind="primary" pending={move.isRunning} onClick={() => go(nextS)}>
            {say.toNext}
          </Button>
        )}
      </div>
      <Refusal refused={move.refused} />
    </>
  )
}
