import type { Outdated } from '../ask/use-asked.ts'
import { useLanguage, useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Notice, useRefusal } from './failure.tsx'
import { words } from './words.ts'

/** Above what could not be asked anew: nobody should take it for how things stand. */
export function OutdatedNotice({ outdated }: { readonly outdated: Outdated | null }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const sentence = useRefusal(outdated?.refused ?? null)
  // Who is not signed in is asked to, over the page. Nothing is left where nothing is said: it may stand in a grid.
  if (outdated === null || outdated.refused.status === 401) return null
  return (
    <div role="alert" className="col-span-full mb-4">
      <Notice kind="waits">
        {sentence} {say.shownIsFrom(outdated.since.toLocaleTimeString(locale, { timeStyle: 'short' }))}
        <Button kind="plain" small className="ml-3" onClick={outdated.again}>
          {say.tryAgain}
        </Button>
      </Notice>
    </div>
  )
}
