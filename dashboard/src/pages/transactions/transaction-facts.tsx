import { Link } from '@tanstack/react-router'
import type { AddressRecord } from '../../../../server/src/console/contract/records.ts'
import type { WholeTransaction } from '../../../../server/src/console/contract/transactions.ts'
import { CodeBlock, CodeLine } from '../../parts/code-block.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { useWords } from '../../words/language.tsx'
import { actWords } from './act-words.ts'
import { cardName } from './card-name.ts'
import { words } from './words.ts'

export function TransactionFacts({ whole }: { readonly whole: WholeTransaction }) {
  const say = useWords(actWords)
  const list = useWords(words)
  const { transaction, currency, possible } = whole
  const { customer, offer, user_data: data } = transaction
  const custom = Object.entries(data.custom_data)
  return (
    <Facts>
      <Fact name={say.id}>
        <CodeLine what={say.id} text={transaction.id} />
      </Fact>
      <Fact name={say.customer}>
        <Link to="/customers/$id" params={{ id: whole.customer.id }} className="underline">
          {customer.email === '' ? say.erased : customer.email}
        </Link>
        <div className="text-soft">{[customer.first_name, customer.last_name].filter(Boolean).join(' ')}</div>
      </Fact>
      <Fact name={say.card}>
        {customer.card_type === '' ? list.noCard : cardName({ type: customer.card_type, mask: customer.card_mask })}
      </Fact>
      <Fact name={say.offer}>
        <Link to="/offers/$id" params={{ id: offer.id }} className="underline">
          {offer.item_name}
        </Link>
      </Fact>
      {offer.ref_id !== null && <Fact name={say.refId}>{offer.ref_id}</Fact>}
      <Fact name={say.source}>{transaction.source === 'Email Transaction' ? list.mail : list.web}</Fact>
      <Fact name={say.gateway}>
        <CodeLine what={say.gateway} text={transaction.gateway} />
      </Fact>
      {transaction.net_amount !== null && (
        <Fact name={say.net}>
          <Money amount={transaction.net_amount} currency={currency} />
        </Fact>
      )}
      {transaction.captured_amount !== undefined && (
        <Fact name={say.captured}>
          <Money amount={transaction.captured_amount} currency={currency} />
        </Fact>
      )}
      {possible.refund !== null && (
        <Fact name={say.left}>
          <Money amount={possible.refund} currency={currency} />
        </Fact>
      )}
      {transaction.further_action !== undefined && (
        <Fact name={say.payAt}>
          <CodeLine what={say.payAt} text={transaction.further_action.signup_url} />
        </Fact>
      )}
      <AddressFact name={say.billing} address={data.billing} />
      <AddressFact name={say.shipping} address={data.shipping} />
      {custom.length > 0 && (
        <Fact name={say.customData}>
          {custom.map(([name, value]) => (
            <div key={name}>
              {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
            </div>
          ))}
        </Fact>
      )}
    </Facts>
  )
}

function AddressFact({ name, address }: { readonly name: string; readonly address: AddressRecord | null }) {
  const lines = addressLines(address)
  if (lines.length === 0) return null
  return (
    <Fact name={name}>
      {lines.map(line => (
        <div key={line}>{line}</div>
      ))}
    </Fact>
  )
}

export function addressLines(address: Partial<AddressRecord> | null): string[] {
  const { street, street2, zip, city, state, country, phone } = address ?? {}
  const place = [zip, city, state].filter(Boolean).join(' ')
  return [street, street2, place, country, phone].filter(line => line !== undefined && line !== '') as string[]
}

export function RawTransaction({ whole }: { readonly whole: WholeTransaction }) {
  const say = useWords(actWords)
  return (
    <details className="mt-6">
      <summary className="cursor-pointer font-medium">{say.raw}</summary>
      <div className="mt-2">
        <CodeBlock label={say.record} text={JSON.stringify(whole.transaction, null, 2)} />
      </div>
    </details>
  )
}
