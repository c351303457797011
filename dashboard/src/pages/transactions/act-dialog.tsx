// Refund, capture, void: says exactly what will happen, and asks with a key, so that a second click repeats instead of doing
// it twice. While nobody knows how a try ended, the dialog asks for nothing but the same again.

import { useState } from 'react'
import type { CardType } from '../../../../server/src/console/contract/records.ts'
import { ask, type Question, type Refused } from '../../ask/ask.ts'
import { newKey } from '../../ask/new-key.ts'
import { outcomeOf } from '../../ask/request-outcome.ts'
import { useChange } from '../../ask/use-change.ts'
import { TextArea, TextInput } from '../../parts/controls.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { exampleAmount, typedAmount } from '../../words/typed-amount.ts'
import { actWords } from './act-words.ts'
import { cardName } from './card-name.ts'

export type Act = 'refund' | 'capture' | 'void'

interface ActDialogProps {
  readonly act: Act
  readonly id: string
  /** What there is to move. */
  readonly most: string
  readonly currency: string
  readonly card: { readonly type: CardType; readonly mask: string }
  readonly onClose: () => void
}

interface Try {
  readonly atMs: number
  readonly key: string
  readonly amount: string
  readonly reason: string
}

/** Of which it is not known how they ended, by what they do to which payment: a dialog that is opened again goes on with its own. */
const unknownTries = new Map<string, Try>()

/** The service forgets a key a day after what was asked for under it was settled. */
const keyKnownMs = 20 * 3_600_000

export function ActDialog({ act, id, most, currency, card, onClose }: ActDialogProps) {
  const say = useWords(actWords)
  const money = useShownMoney()
  const { locale } = useLanguage()
  const toast = useToast()
  const name = `${act} ${id}`
  const [unknown, setUnknown] = useState(unknownTries.get(name))
  const [amount, setAmount] = useState(unknown?.amount ?? most)
  const [reason, setReason] = useState(unknown?.reason ?? '')
  const [key, setKey] = useState(unknown?.key ?? newKey)
  const [isTooLate, setTooLate] = useState(false)
  const words = say.acts[act]
  const meant = amountIn(typedAmount(amount, locale), most)
  const isAmount = meant !== null
  const shown = money(meant ?? most, currency)
  const change = useChange(
    () => ask<unknown>(...questionOf(act, id, meant ?? most, reason.trim(), key)),
    ['transactions', 'customers', 'overview'],
  )
  const submit = async () => {
    if (!isAmount) return
    if (unknown !== undefined && Date.now() - unknown.atMs > keyKnownMs) return setTooLate(true)
    // Before the answer: the dialog may be closed and opened again meanwhile.
    unknownTries.set(name, { atMs: unknown?.atMs ?? Date.now(), key, amount, reason })
    const asked = await change.run()
    const outcome = outcomeOf(asked)
    // A refusal says nothing of an earlier try, which may have been slower on its way.
    if (outcome === 'settled' || (outcome === 'refused' && unknown === undefined)) unknownTries.delete(name)
    setUnknown(unknownTries.get(name))
    if (outcome === 'settled') setKey(newKey())
    if (asked.ok) {
      toast(asked.status === 202 ? words.inDoubt(shown) : words.done(shown))
      onClose()
    }
  }
  return (
    <FormDialog
      title={words.title}
      action={isAmount ? words.action(shown, card.mask) : words.button}
      danger={act !== 'capture'}
      pending={change.isRunning}
      disabled={!isAmount || isTooLate}
      refused={change.refused}
      meaning={meaningOf(change.refused, say)}
      shown={['amount']}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{words.says(cardName(card))}</p>
      {act !== 'void' && (
        <Field
          label={`${say.amount} (${currency})`}
          hint={say.atMost(money(most, currency))}
          error={isAmount ? change.refused?.errors.amount : say.notAnAmount(exampleAmount(currency, locale))}
        >
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            value={amount}
            readOnly={unknown !== undefined}
            onChange={event => {
              setAmount(event.currentTarget.value)
              change.clear()
            }}
          />
        </Field>
      )}
      {act === 'refund' && (
        <Field label={say.reason} hint={say.reasonHint} optional>
          <TextArea
            rows={2}
            maxLength={2_500}
            value={reason}
            readOnly={unknown !== undefined}
            onChange={event => setReason(event.currentTarget.value)}
          />
        </Field>
      )}
      {unknown !== undefined && <Notice kind="waits">{isTooLate ? say.tooLate : say.unknown}</Notice>}
    </FormDialog>
  )
}

/** With as many decimals as its currency has, which `like` shows; null: it is none. */
function amountIn(typed: string, like: string): string | null {
  const [, units, decimals = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(typed.trim()) ?? []
  if (units === undefined) return null
  const decimalsOf = like.split('.')[1]?.length ?? 0
  return decimalsOf === 0 && decimals === '' ? units : `${units}.${decimals.padEnd(decimalsOf, '0')}`
}

function questionOf(
  act: Act,
  id: string,
  amount: string,
  notes: string,
  key: string,
): [path: string, question: Question] {
  if (act === 'refund') {
    const json = { transaction: id, amount, ...(notes !== '' && { notes }) }
    return ['rest/transactions/refunds', { method: 'POST', json, key }]
  }
  const json = act === 'capture' ? { amount } : {}
  return [`rest/transactions/${id}/${act}`, { method: 'POST', json, key }]
}

/** What each refusal means for the money, before what the service says about its cause. */
function meaningOf(refused: Refused | null, say: (typeof actWords)['en']): string | undefined {
  if (refused !== null && outcomeOf(refused) === 'unknown') return undefined
  return { 402: say.declined, 409: say.notNow, 502: say.notReached }[refused?.status ?? 0]
}
