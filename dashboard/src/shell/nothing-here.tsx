import { ButtonLink } from '../parts/button.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useWords } from '../words/language.tsx'
import { words } from './words.ts'

export function NothingHere() {
  const say = useWords(words)
  return (
    <>
      <PageHead title={say.nothingHere} lead={say.nothingHereSays} />
      <ButtonLink kind="primary" to="/">
        {say.toHome}
      </ButtonLink>
    </>
  )
}
