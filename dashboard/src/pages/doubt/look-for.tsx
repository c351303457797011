// Where a person sees at the gateway what became of it.

import type { WholeDoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { Card } from '../../parts/card.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function LookFor({ doubt }: { readonly doubt: WholeDoubtRecord }) {
  const say = useWords(words)
  const money = useShownMoney()
  const isPartOfCharge = doubt.kind === 'capture' || doubt.kind === 'void'
  const mark = say.marks[doubt.gateway_type as keyof typeof say.marks] ?? say.operation
  const text = doubt.gateway_type === 'braintree' ? `${doubt.transaction}/${doubt.operation}` : doubt.operation
  return (
    <Card title={say.lookFor}>
      <p className="mb-2 max-w-prose">{say.lookForSays[doubt.kind](money(doubt.amount, doubt.currency))}</p>
      {!isPartOfCharge && (
        <Facts>
          <Fact name={mark}>
            <CodeLine what={mark} text={text} />
          </Fact>
          <Fact name={say.transaction}>
            <CodeLine what={say.transaction} text={doubt.transaction} />
          </Fact>
        </Facts>
      )}
    </Card>
  )
}
