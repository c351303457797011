// The fields of the look, group by group.

import { useState } from 'react'
import type { PaymentPageRecord } from '../../../../server/src/console/contract/records.ts'
import { Card } from '../../parts/card.tsx'
import { TextArea, TextInput } from '../../parts/controls.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { useWords } from '../../words/language.tsx'
import { ColourField, useRatioText } from './colour-field.tsx'
import { contrastBetween, contrastOn, isColour } from './contrast.ts'
import { LogoField } from './logo-field.tsx'
import type { LookForm } from './look-form.ts'
import { words } from './words.ts'

interface Filling {
  readonly form: LookForm
  readonly change: (change: Partial<LookForm>) => void
  readonly errors: { readonly [field: string]: string }
  readonly page: PaymentPageRecord
}

export function WhoYouAre({ form, change, errors, page }: Filling) {
  const say = useWords(words)
  const [chosen, setChosen] = useState<string | null>(null)
  // By its path alone: pictures come from where the dashboard comes from, whatever the service is called outside.
  const saved = page.logo_url === null ? null : new URL(page.logo_url).pathname
  const url = form.logo === undefined ? saved : chosen
  return (
    <Card title={say.who}>
      <div className="space-y-4">
        <Field label={say.name} hint={say.nameHint} error={errors.name}>
          <TextInput
            value={form.name}
            maxLength={100}
            onChange={event => change({ name: event.currentTarget.value })}
          />
        </Field>
        <LogoField
          url={url}
          error={errors.logo}
          onChange={logo => {
            setChosen(logo === null ? null : `data:${logo.type};base64,${logo.base64}`)
            change({ logo: logo?.base64 ?? null })
          }}
        />
        <Field label={say.supportEmail} hint={say.supportEmailHint} error={errors.support_email} optional>
          <TextInput
            type="email"
            value={form.support_email}
            autoComplete="off"
            onChange={event => change({ support_email: event.currentTarget.value })}
          />
        </Field>
      </div>
    </Card>
  )
}

/** Below this, WCAG says, a control is hard to see. */
const contrastMin = 3

export function Colours({ form, change, errors }: Filling) {
  const say = useWords(words)
  const ratioText = useRatioText()
  const { button_color, background_color } = form
  const areBoth = isColour(button_color) && isColour(background_color)
  const ratio = areBoth ? contrastBetween(button_color, background_color) : contrastMin
  return (
    <Card title={say.colours}>
      <div className="grid gap-4 sm:grid-cols-2">
        <ColourField
          label={say.button}
          value={button_color}
          error={errors.button_color}
          onChange={colour => change({ button_color: colour })}
        />
        <ColourField
          label={say.background}
          value={background_color}
          error={errors.background_color}
          onChange={colour => change({ background_color: colour })}
        />
      </div>
      {isColour(button_color) && <SampleButton colour={button_color} ground={background_color} />}
      {ratio < contrastMin && (
        <div className="mt-3">
          <Notice kind="waits">{say.alike(ratioText(ratio))}</Notice>
        </div>
      )}
    </Card>
  )
}

/** The button of the page stands far below, in the preview out of sight. */
function SampleButton({ colour, ground }: { readonly colour: string; readonly ground: string }) {
  const say = useWords(words)
  const money = useShownMoney()
  const behind = isColour(ground) ? { background: ground } : {}
  return (
    <div className="mt-4 rounded-md border border-line p-4 text-center" style={behind}>
      <span
        className="inline-block rounded-lg px-6 py-2.5 font-semibold"
        style={{ background: colour, color: contrastOn(colour).ink }}
      >
        {say.pay(money('49.00'))}
      </span>
    </div>
  )
}

export function AfterPaying({ form, change, errors }: Filling) {
  const say = useWords(words)
  return (
    <Card title={say.after}>
      <div className="space-y-4">
        <Field label={say.returnUrl} hint={say.returnUrlHint} error={errors.return_url} optional>
          <TextInput
            type="url"
            value={form.return_url}
            autoComplete="off"
            onChange={event => change({ return_url: event.currentTarget.value })}
          />
        </Field>
        <Field label={say.ancestors} hint={say.ancestorsHint} error={errors.frame_ancestors} optional>
          <TextArea
            rows={2}
            value={form.frame_ancestors}
            onChange={event => change({ frame_ancestors: event.currentTarget.value })}
          />
        </Field>
      </div>
    </Card>
  )
}
