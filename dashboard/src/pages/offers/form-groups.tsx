// What the form of an offer asks, group by group: what nearly everybody needs first, the rest folded.

import type { GatewayRecord } from '../../../../server/src/console/contract/records.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Card } from '../../parts/card.tsx'
import { Checkbox, Select, TextArea, TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { exampleAmount } from '../../words/typed-amount.ts'
import { CustomData, CustomFields } from './form-lists.tsx'
import { Folded, Line, useFilling, useText } from './form-parts.tsx'
import { words } from './words-new.ts'

export function WhatIsSold() {
  const say = useWords(words)
  const details = useText('details')
  const { locale } = useLanguage()
  const example = exampleAmount(useText('currency').value, locale)
  return (
    <Card title={say.what} lead={say.whatLead}>
      <div className="space-y-4">
        <Line name="title" label={say.titleField} hint={say.titleHint} maxLength={255} />
        <div className="grid gap-4 sm:grid-cols-[1fr_8rem]">
          <Line name="amount" label={say.amount} hint={say.amountHint(example)} optional={false} inputMode="decimal" />
          <Line name="currency" label={say.currency} optional={false} maxLength={3} />
        </div>
        <Field label={say.details} hint={say.detailsHint} error={details.error} optional>
          <TextArea
            value={details.value}
            maxLength={2_500}
            onChange={event => details.set(event.currentTarget.value)}
          />
        </Field>
      </div>
    </Card>
  )
}

export function Limits() {
  const say = useWords(words)
  const { form, change, refused } = useFilling()
  return (
    <Folded title={say.limits} names={['stock', 'expires_at', 'email']}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Line name="stock" label={say.stock} hint={say.stockHint} inputMode="numeric" />
        <Field label={say.expires} hint={say.expiresHint} error={refused?.errors.expires_at} optional>
          <TextInput
            type="datetime-local"
            value={form.expiresAt}
            onChange={event => change({ expiresAt: event.currentTarget.value })}
          />
        </Field>
      </div>
      <Line name="email" label={say.email} hint={say.emailHint} type="email" />
    </Folded>
  )
}

export function WhatIsAsked() {
  const say = useWords(words)
  const address = useText('address')
  return (
    <Folded title={say.asks} names={['address', 'custom_fields']}>
      <Field label={say.address} error={address.error}>
        <Select value={address.value} onChange={event => address.set(event.currentTarget.value)}>
          <option value="">{say.addresses.none}</option>
          <option value="shipping">{say.addresses.shipping}</option>
          <option value="billing">{say.addresses.billing}</option>
          <option value="shipping,billing">{say.addresses.both}</option>
        </Select>
      </Field>
      <CustomFields />
    </Folded>
  )
}

export function HowItIsPaid() {
  const say = useWords(words)
  const { form, change } = useFilling()
  const gateway = useText('gateway')
  const gateways = useAsked<readonly GatewayRecord[]>('rest/gateways', { query: { limit: 100 } })
  return (
    <Folded title={say.paying} names={['gateway', 'authorization_only']}>
      <Checkbox
        label={say.authorization}
        hint={say.authorizationHint}
        checked={form.authorizationOnly}
        onChange={event => change({ authorizationOnly: event.currentTarget.checked })}
      />
      <Field label={say.gateway} hint={say.gatewayHint} error={gateway.error}>
        <Select value={gateway.value} onChange={event => gateway.set(event.currentTarget.value)}>
          <option value="">{say.anyGateway}</option>
          {gateways.state === 'there' &&
            gateways.body.map(({ id, type }) => <option key={id} value={id}>{`${type} · ${id}`}</option>)}
        </Select>
      </Field>
    </Folded>
  )
}

export function OwnData() {
  const say = useWords(words)
  const names = ['ref_id', 'campaign', 'tag', 'form', 'page_url', 'custom_user_data', 'fulfillment', 'custom_data']
  return (
    <Folded title={say.own} names={names}>
      <Line name="ref_id" label={say.refId} hint={say.refIdHint} maxLength={255} />
      <div className="grid gap-4 sm:grid-cols-3">
        <Line name="campaign" label="campaign" hint={say.label} maxLength={255} />
        <Line name="tag" label="tag" hint={say.label} maxLength={255} />
        <Line name="form" label="form" hint={say.label} maxLength={255} />
      </div>
      <Line name="page_url" label={say.pageUrl} hint={say.pageUrlHint} type="url" />
      <Line name="custom_user_data" label={say.customUserData} hint={say.customUserDataHint} maxLength={2_500} />
      <Line name="fulfillment" label={say.fulfillment} hint={say.fulfillmentHint} inputMode="numeric" />
      <CustomData />
    </Folded>
  )
}
