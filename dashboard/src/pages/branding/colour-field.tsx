import { TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { contrastOn, isColour } from './contrast.ts'
import { words } from './words.ts'

interface ColourFieldProps {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (colour: string) => void
}

/** As text, or picked; with how well letters can be read on it. */
export function ColourField({ label, value, error, onChange }: ColourFieldProps) {
  const say = useWords(words)
  const ratioText = useRatioText()
  const isOne = isColour(value)
  const { ink, ratio } = contrastOn(isOne ? value : '#000000')
  const hint = isOne ? say.readable(say.inks[ink], ratioText(ratio)) : say.usual
  return (
    <Field label={label} hint={hint} error={error} optional>
      <div className="flex gap-2">
        <input
          type="color"
          aria-label={say.pick(label)}
          value={isOne ? value : '#ffffff'}
          onChange={event => onChange(event.currentTarget.value)}
          className="h-9 w-11 shrink-0 cursor-pointer rounded-md border border-edge bg-surface p-1"
        />
        <TextInput
          mono
          value={value}
          placeholder="#3347c9"
          maxLength={7}
          autoComplete="off"
          onChange={event => onChange(event.currentTarget.value)}
        />
      </div>
    </Field>
  )
}

export function useRatioText(): (ratio: number) => string {
  const { locale } = useLanguage()
  return ratio => ratio.toLocaleString(locale, { maximumFractionDigits: 1 })
}
