import { useEffect, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { words } from './words.ts'

const saidForMs = 2_000

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for those who do not see what it stands beside. */
  readonly what: string
  readonly iconOnly?: boolean
}

export function CopyButton({ text, what, iconOnly = false }: CopyButtonProps) {
  const say = useWords(words)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), saidForMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const said = isCopied ? say.copied : say.copy
  return (
    <>
      <Button
        kind="quiet"
        small
        aria-label={`${said}: ${what}`}
        icon={<Icon name={isCopied ? 'check' : 'copy'} className="size-4" />}
        onClick={async () => setCopied(await copy(text))}
      >
        {iconOnly ? null : said}
      </Button>
      <span role="status" className="sr-only">
        {isCopied && say.copied}
      </span>
    </>
  )
}

async function copy(text: string): Promise<boolean> {
  // Without TLS a browser has no clipboard for pages, except the old way.
  if (navigator.clipboard === undefined) return copyTheOldWay(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyTheOldWay(text),
  )
}

function copyTheOldWay(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  // Beside what has the focus: a dialog keeps it inside.
  ;(document.activeElement?.parentElement ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
