// Many hooks again: how many it would be is said before, and how far it is while it goes.

import { useState } from 'react'
import type { HookEndpointRecord } from '../../../../server/src/console/contract/records.ts'
import type { ResendCount, ResendProgress } from '../../../../server/src/console/contract/resends.ts'
import { ask } from '../../ask/ask.ts'
import { useKey } from '../../ask/new-key.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { Select, TextInput } from '../../parts/controls.tsx'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useNow } from '../../parts/now.ts'
import { Progress } from '../../parts/progress.tsx'
import { useFilters } from '../../parts/url.ts'
import { endOfDay, startOfDay } from '../../words/days.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { shortUrl } from './delivery-filters.tsx'
import { words } from './words.ts'

interface Range {
  readonly endpoint: string
  readonly created_after: string
  readonly created_before: string | null
}

interface ResendRangeProps {
  readonly endpoints: readonly HookEndpointRecord[]
  readonly onClose: () => void
}

export function ResendRange({ endpoints, onClose }: ResendRangeProps) {
  const say = useWords(words)
  const [going, setGoing] = useState<{ readonly range: Range; readonly resent: number } | null>(null)
  const open = endpoints.filter(({ kind, status }) => kind !== 'pre_sale' && status === 'enabled')
  if (going !== null) return <Going {...going} onClose={onClose} />
  if (open.length === 0) {
    return (
      <Dialog title={say.rangeTitle} onClose={onClose}>
        <p>{say.noEndpoints}</p>
      </Dialog>
    )
  }
  return <Asking endpoints={open} onClose={onClose} onAsked={(range, resent) => setGoing({ range, resent })} />
}

interface AskingProps extends ResendRangeProps {
  readonly onAsked: (range: Range, resent: number) => void
}

function Asking({ endpoints, onClose, onAsked }: AskingProps) {
  const say = useWords(words)
  const key = useKey()
  const [filters] = useFilters(['endpoint', 'kind', 'state', 'from', 'to'])
  const [endpoint, setEndpoint] = useState(() => endpointOf(endpoints, filters))
  const [state, setState] = useState(() => (resendable.includes(filters.state) ? filters.state : 'dropped'))
  const now = useNow()
  const [after, setAfter] = useState(
    () => localOf(startOfDay(filters.from)) ?? localText(new Date(now.getTime() - dayMs)),
  )
  const [before, setBefore] = useState(() => localOf(endOfDay(filters.to)) ?? '')
  const range = { endpoint, created_after: timeOf(after) ?? '', created_before: timeOf(before) }
  const count = useCount(range, state)
  const resend = useChange(
    () =>
      ask<{ resent: number }>('rest/hook_deliveries/resend', {
        method: 'POST',
        json: withoutNothing({ ...range, state }),
        // What was changed since is asked anew: a key stands for one question.
        key: `${key}-${[...Object.values(range), state].join('-').replace(/[^\w-]/g, '')}`,
      }),
    ['rest/hook_deliveries'],
  )
  const submit = async () => {
    const asked = await resend.run()
    if (asked.ok) onAsked(range, asked.body.resent)
  }
  const { errors = {} } = resend.refused ?? {}
  return (
    <FormDialog
      title={say.rangeTitle}
      action={say.rangeAction(count.text)}
      pending={resend.isRunning}
      disabled={!count.isAny}
      refused={resend.refused}
      shown={['created_after', 'created_before', 'endpoint']}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{say.rangeLead}</p>
      <Field label={say.endpoint} error={errors.endpoint}>
        <EndpointSelect endpoints={endpoints} value={endpoint} onChange={setEndpoint} />
      </Field>
      <Field label={say.which}>
        <Select value={state} onChange={event => setState(event.currentTarget.value)}>
          <option value="dropped">{say.whichFailed}</option>
          <option value="pending">{say.whichPending}</option>
          <option value="delivered">{say.whichDelivered}</option>
          <option value="">{say.whichAll}</option>
        </Select>
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say.after} error={range.created_after === '' ? say.dateRequired : errors.created_after}>
          <TextInput type="datetime-local" value={after} onChange={event => setAfter(event.currentTarget.value)} />
        </Field>
        <Field label={say.before} hint={say.beforeHint} error={errors.created_before}>
          <TextInput type="datetime-local" value={before} onChange={event => setBefore(event.currentTarget.value)} />
        </Field>
      </div>
      <p role="status" className="font-medium">
        {resend.isRunning ? say.asking : count.sentence}
      </p>
    </FormDialog>
  )
}

const resendable = ['pending', 'delivered', 'dropped']

interface ListFilters {
  readonly endpoint: string
  readonly kind: string
}

/** What the list shows is what somebody means to send again. */
function endpointOf(endpoints: readonly HookEndpointRecord[], { endpoint, kind }: ListFilters): string {
  const chosen = endpoints.find(({ id }) => id === endpoint) ?? endpoints.find(each => each.kind === kind)
  return (chosen ?? endpoints[0])?.id ?? ''
}

function EndpointSelect(props: {
  readonly endpoints: readonly HookEndpointRecord[]
  readonly value: string
  readonly onChange: (id: string) => void
}) {
  const { hook } = useWords(states)
  return (
    <Select value={props.value} onChange={event => props.onChange(event.currentTarget.value)}>
      {props.endpoints.map(({ id, kind, url }) => (
        <option key={id} value={id}>
          {hook[kind]} · {shortUrl(url)}
        </option>
      ))}
    </Select>
  )
}

function useCount(range: Range, state: string) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const isOff = range.created_after === ''
  const shown = useAsked<{ resends: ResendCount }>('resends/count', { query: { ...range, state }, isOff })
  if (isOff || shown.state !== 'there' || shown.isOld) {
    return { text: '', isAny: false, sentence: isOff || shown.state === 'failed' ? '' : say.counting }
  }
  const { count, is_more } = shown.body.resends
  const text = `${count.toLocaleString(locale)}${is_more ? '+' : ''}`
  const sentence = count === 0 ? say.countedNone : count === 1 ? say.countedOne : say.counted(text)
  return { text, isAny: count > 0, sentence }
}

const lookEveryMs = 1_000

function Going({ range, resent, onClose }: { range: Range; resent: number; onClose: () => void }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const [isDone, setDone] = useState(false)
  const shown = useAsked<{ resends: ResendProgress }>('resends/progress', {
    query: { ...range },
    everyMs: !isDone && lookEveryMs,
  })
  const progress = shown.state === 'there' ? shown.body.resends : null
  if (progress?.left === 0 && !isDone) setDone(true)
  const count = resent.toLocaleString(locale)
  return (
    <Dialog title={say.rangeTitle} onClose={onClose}>
      <div className="space-y-4">
        <Progress label={say.going(count)} done={Math.max(0, resent - (progress?.left ?? resent))} of={resent} />
        <div role="status">
          {isDone && <Notice kind="good">{say.allGone(count)}</Notice>}
          {progress?.is_paused === true && !isDone && <Notice kind="waits">{say.rangePaused}</Notice>}
        </div>
        <div className="flex justify-end">
          <Button onClick={onClose}>{say.done}</Button>
        </div>
      </div>
    </Dialog>
  )
}

const dayMs = 86_400_000

/** As a field of the browser's has it: in the viewer's zone, to the minute. */
function localText(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

function localOf(time: string | null): string | null {
  return time === null ? null : localText(new Date(time))
}

function timeOf(text: string): string | null {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}

function withoutNothing(fields: { readonly [name: string]: string | null }) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''))
}
