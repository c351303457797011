import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { words as shared } from '../../parts/words.ts'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface ShownSecretProps {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
}

/** A secret that is shown this once. */
export function ShownSecret({ title, secret, onClose }: ShownSecretProps) {
  const say = useWords(words)
  const { onlyNow } = useWords(shared)
  return (
    <Dialog title={title} onClose={onClose} lost={onlyNow}>
      <div className="space-y-4">
        <Notice kind="waits">{say.secretSays}</Notice>
        <CodeBlock label={title} text={secret} wrap />
        <div className="flex justify-end">
          <Button kind="primary" onClick={onClose}>
            {say.secretDone}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
