// The lists in the form of an offer: questions for the customer, and names with values that come back.

import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Checkbox, TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { useWords } from '../../words/language.tsx'
import { useFilling } from './form-parts.tsx'
import { words } from './words-new.ts'

const questionsMax = 20

export function CustomFields() {
  const say = useWords(words)
  const { form, change, refused } = useFilling()
  const { customFields } = form
  const set = (index: number, next: Partial<(typeof customFields)[number]>) =>
    change({ customFields: customFields.map((field, at) => (at === index ? { ...field, ...next } : field)) })
  const error = refused?.errors.custom_fields
  return (
    <Rows
      legend={say.fields}
      hint={error === undefined ? say.fieldsHint : <ServiceSays field="custom_fields" sentence={error} />}
      isWrong={error !== undefined}
      add={say.addField}
      onAdd={() => change({ customFields: [...customFields, { name: '', required: false }] })}
      isFull={customFields.length >= questionsMax}
    >
      {customFields.map((field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are known by their place alone
        <li key={index} className="flex flex-wrap items-center gap-3">
          <div className="min-w-0 grow basis-48">
            <Field label={say.fieldName(index + 1)} hideLabel>
              <TextInput
                value={field.name}
                placeholder={say.fieldName(index + 1)}
                maxLength={100}
                onChange={event => set(index, { name: event.currentTarget.value })}
              />
            </Field>
          </div>
          <Checkbox
            label={say.required}
            checked={field.required}
            onChange={event => set(index, { required: event.currentTarget.checked })}
          />
          <Remove
            label={say.removeField(index + 1)}
            onClick={() => change({ customFields: customFields.filter((_, at) => at !== index) })}
          />
        </li>
      ))}
    </Rows>
  )
}

export function CustomData() {
  const say = useWords(words)
  const { form, change } = useFilling()
  const { customData } = form
  const set = (index: number, next: Partial<(typeof customData)[number]>) =>
    change({ customData: customData.map((pair, at) => (at === index ? { ...pair, ...next } : pair)) })
  return (
    <Rows
      legend={say.data}
      hint={say.dataHint}
      add={say.addData}
      onAdd={() => change({ customData: [...customData, { name: '', value: '' }] })}
    >
      {customData.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are known by their place alone
        <li key={index} className="flex items-center gap-2">
          {(['name', 'value'] as const).map(part => (
            <div key={part} className="min-w-0 grow">
              <Field label={(part === 'name' ? say.dataName : say.dataValue)(index + 1)} hideLabel>
                <TextInput
                  value={pair[part]}
                  placeholder={(part === 'name' ? say.dataName : say.dataValue)(index + 1)}
                  onChange={event => set(index, { [part]: event.currentTarget.value })}
                />
              </Field>
            </div>
          ))}
          <Remove
            label={say.removeData(index + 1)}
            onClick={() => change({ customData: customData.filter((_, at) => at !== index) })}
          />
        </li>
      ))}
    </Rows>
  )
}

interface RowsProps {
  readonly legend: string
  readonly hint: ReactNode
  readonly isWrong?: boolean
  readonly add: string
  readonly onAdd: () => void
  readonly isFull?: boolean
  readonly children: ReactNode
}

function Rows({ legend, hint, isWrong = false, add, onAdd, isFull = false, children }: RowsProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">{legend}</legend>
      <p className={`mb-2 text-[0.8125rem] ${isWrong ? 'text-bad' : 'text-soft'}`}>{hint}</p>
      <ul className="space-y-2">{children}</ul>
      <Button small className="mt-2" icon={<Icon name="plus" className="size-4" />} disabled={isFull} onClick={onAdd}>
        {add}
      </Button>
    </fieldset>
  )
}

function Remove({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button kind="quiet" small aria-label={label} icon={<Icon name="close" className="size-4" />} onClick={onClick} />
  )
}
