import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { words } from '../parts/words.ts'
import { useWords } from '../words/language.tsx'
import { askForFiles, FileMissing, reloadOnce } from './new-files.ts'

/** In place of a page that cannot be shown: the shell around it goes on. */
export function PageBroke({ error }: { readonly error: unknown }) {
  const say = useWords(words)
  if (error instanceof FileMissing) return <NoFile />
  return <Broke title={say.page} says={say.pageSays} action={say.reload} onAct={() => location.reload()} />
}

function NoFile() {
  const say = useWords(words)
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    void askForFiles().then(files => files === 'other' && reloadOnce())
  }, [])
  // Loading again where nothing answers would leave the browser's own page of an error, and no dashboard.
  const again = async () => {
    setAsking(true)
    if ((await askForFiles()) === 'no answer') setAsking(false)
    else location.reload()
  }
  return <Broke title={say.failed} says={say.noAnswer} action={say.tryAgain} isPending={isAsking} onAct={again} />
}

interface BrokeProps {
  readonly title: string
  readonly says: string
  readonly action: string
  readonly isPending?: boolean
  readonly onAct: () => void
}

function Broke({ title, says, action, isPending = false, onAct }: BrokeProps) {
  return (
    <div role="alert" className="mx-auto max-w-md px-4 py-16 text-center">
      <h1 className="text-xl font-semibold">{title}</h1>
      <p className="mt-1 mb-5 text-soft">{says}</p>
      <Button kind="primary" pending={isPending} onClick={onAct}>
        {action}
      </Button>
    </div>
  )
}
