// The fields of a form: each with its label, and with what is wrong about it beside it, where a screen reader finds it too.

import { type Html, html } from './html.ts'

export interface Field {
  /** Also its id, so it has no blanks. */
  readonly name: string
  readonly label: Html | string
  /** What is wrong with what was typed; null: nothing, so far. */
  readonly problem: string | null
  /** Of the input: text is written as it is, `true` stands alone, `false` and null are left out. */
  readonly attributes?: Attributes
  readonly hint?: Html | string
}

export type Attributes = { readonly [name: string]: string | number | boolean | null }

export interface Choice {
  readonly value: string
  readonly says: string
}

export function field(given: Field): Html {
  return html`<div class="field">
${labelOf(given)}
<input${attributesOf(given)}>
${problemOf(given)}${hintOf(given)}
</div>`
}

/** `chosen` null, or none of the choices: the first one. */
export function selectField(
  given: Field & { readonly choices: readonly Choice[]; readonly chosen: string | null },
): Html {
  const options = given.choices.map(
    ({ value, says }) =>
      html`<option value="${value}"${value === given.chosen ? html` selected` : null}>${says}</option>`,
  )
  return html`<div class="field">
${labelOf(given)}
<select${attributesOf(given)}>
${options}
</select>
${problemOf(given)}${hintOf(given)}
</div>`
}

/** A box to tick: its label stands behind it. It is sent as its value, where it has one, or as `yes`. */
export function checkField(given: Field & { readonly value?: string }): Html {
  return html`<div class="field check">
<input type="checkbox" value="${given.value ?? 'yes'}"${attributesOf(given)}>
${labelOf(given)}
${problemOf(given)}${hintOf(given)}
</div>`
}

/** Not to be filled in again by the browser: what is sent is what was shown. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`
}

/** What is wrong with the form as a whole. There also when it is empty: what appears in it later is read aloud. */
export function summary(problem: Html | string | null): Html {
  return html`<p class="problem summary" role="alert">${problem}</p>`
}

function labelOf({ name, label }: Field): Html {
  return html`<label for="${name}">${label}</label>`
}

function attributesOf({ name, problem, hint, attributes = {} }: Field): Html[] {
  const all: Attributes = {
    id: name,
    name,
    ...attributes,
    'aria-describedby': hint === undefined ? `${name}-problem` : `${name}-problem ${name}-hint`,
    'aria-invalid': problem === null ? null : 'true',
  }
  return Object.entries(all).map(([key, value]) => {
    if (value === false || value === null) return html``
    return value === true ? html` ${key}` : html` ${key}="${value}"`
  })
}

function hintOf({ name, hint }: Field): Html | null {
  return hint === undefined ? null : html`\n<p class="hint" id="${name}-hint">${hint}</p>`
}

/** There also when it is empty, for a script to write into. */
function problemOf({ name, problem }: Field): Html {
  return html`<p class="problem" id="${name}-problem">${problem}</p>`
}
