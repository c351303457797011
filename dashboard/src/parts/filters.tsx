// The bar above a list. Each filter writes itself into the address.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Select, TextInput } from './controls.tsx'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'
import { useFilters } from './url.ts'
import { words } from './words.ts'

/** `names`: the filters in it, which "Clear filters" takes out of the address. */
export function Filters({ names, children }: { readonly names: readonly string[]; readonly children: ReactNode }) {
  const say = useWords(words)
  const [filters, set] = useFilters(names)
  const setCount = names.filter(name => filters[name] !== '').length
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const clear = () => set(Object.fromEntries(names.map(name => [name, ''])))
  return (
    <search aria-label={say.filter} className="mb-4 block">
      {/* A phone's first screen is for the list: there they are folded. */}
      <Button className="w-full sm:hidden" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {say.filters(setCount)}
        <Icon name="down" className={classes('size-4', isOpen && 'rotate-180')} />
      </Button>
      <div id={id} className={classes('flex-wrap items-end gap-3 sm:flex', isOpen ? 'mt-3 flex sm:mt-0' : 'hidden')}>
        {children}
        {setCount > 0 && (
          <Button kind="quiet" onClick={clear}>
            {say.clearFilters}
          </Button>
        )}
      </div>
    </search>
  )
}

interface FilterProps {
  readonly name: string
  readonly label: string
}

interface FilterSelectProps extends FilterProps {
  /** The first is for all, and has the value ''. */
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

export function FilterSelect({ name, label, options }: FilterSelectProps) {
  const [filters, set] = useFilters([name])
  return (
    <div className="w-full sm:w-auto">
      <Field label={label}>
        <Select value={filters[name]} onChange={event => set({ [name]: event.currentTarget.value })}>
          {options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  )
}

const pauseMs = 350

interface FilterTextProps extends FilterProps {
  readonly placeholder?: string
}

/** Takes effect when typing pauses. */
export function FilterText({ name, label, placeholder }: FilterTextProps) {
  const [filters, set] = useFilters([name])
  const given = filters[name] ?? ''
  const [typed, setTyped] = useState(given)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // "Clear filters", the way back and the search above write the address themselves.
  useEffect(() => setTyped(given), [given])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => set({ [name]: text.trim() }), pauseMs)
  }
  return (
    <div className="w-full grow sm:w-56 sm:max-w-80">
      <Field label={label}>
        <TextInput
          type="search"
          value={typed}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={event => type(event.currentTarget.value)}
        />
      </Field>
    </div>
  )
}

/** A day of the viewer's: `startOfDay` and `endOfDay` make times of it. */
export function FilterDay({ name, label }: FilterProps) {
  const [filters, set] = useFilters([name])
  return (
    <div className="min-w-0 flex-1 sm:flex-none">
      <Field label={label}>
        <TextInput type="date" value={filters[name]} onChange={event => set({ [name]: event.currentTarget.value })} />
      </Field>
    </div>
  )
}
