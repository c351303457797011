import { useBlocker } from '@tanstack/react-router'
import { useWords } from '../words/language.tsx'
import { FormDialog } from './dialog.tsx'
import { words } from './words.ts'

/** In a form: what was changed in it is not lost without a word. */
export function AskBeforeLeaving({ isChanged }: { readonly isChanged: boolean }) {
  const say = useWords(words)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <FormDialog
      title={say.leaveTitle}
      action={say.leave}
      danger
      pending={false}
      refused={null}
      onSubmit={proceed}
      onClose={reset}
    >
      <p>{say.leaveSays}</p>
    </FormDialog>
  )
}
