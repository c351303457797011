import { type ChangeEvent, useRef, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { useWords } from '../../words/language.tsx'
import { base64Of, whyNotLogo } from './look-form.ts'
import { words } from './words.ts'

interface LogoFieldProps {
  /** As it is shown now, or would be; null: there is none. */
  readonly url: string | null
  /** What the server says of it. */
  readonly error: string | undefined
  readonly onChange: (logo: { readonly base64: string; readonly type: string } | null) => void
}

/** Looked at before it is sent: a file that is too large is not even read. */
export function LogoField({ url, error, onChange }: LogoFieldProps) {
  const say = useWords(words)
  const input = useRef<HTMLInputElement>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? []
    if (file === undefined) return
    const why = whyNotLogo(file)
    setWrong(why === null ? null : why === 'type' ? say.notType : say.notSize(Math.ceil(file.size / 1_024)))
    if (why === null) onChange({ base64: await base64Of(file), type: file.type })
  }
  const remove = () => {
    setWrong(null)
    if (input.current !== null) input.current.value = ''
    onChange(null)
  }
  const problem = wrong ?? error
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{say.logo}</legend>
      <div className="flex flex-wrap items-center gap-3">
        {url !== null && (
          <img
            src={url}
            alt={say.logoNow}
            className="h-12 max-w-40 rounded border border-line bg-white object-contain p-1"
          />
        )}
        <Button onClick={() => input.current?.click()}>{say.chooseLogo}</Button>
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-label={say.chooseLogo}
          onChange={choose}
          className="sr-only"
          tabIndex={-1}
        />
        {url !== null && (
          <Button kind="quiet" onClick={remove}>
            {say.removeLogo}
          </Button>
        )}
      </div>
      <p className="mt-1 text-[0.8125rem] text-soft">{say.logoHint}</p>
      <div role="alert">{problem !== undefined && <p className="mt-1 text-[0.8125rem] text-bad">{problem}</p>}</div>
    </fieldset>
  )
}
