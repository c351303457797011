import { Button } from '../parts/button.tsx'
import { words } from '../parts/words.ts'
import { useWords } from '../words/language.tsx'

/** In place of a page with a mistake of ours: the shell around it goes on. */
export function PageBroke() {
  const say = useWords(words)
  return (
    <div role="alert" className="mx-auto max-w-md px-4 py-16 text-center">
      <h1 className="text-xl font-semibold">{say.page}</h1>
      <p className="mt-1 mb-5 text-soft">{say.pageSays}</p>
      <Button kind="primary" onClick={() => location.reload()}>
        {say.reload}
      </Button>
    </div>
  )
}
