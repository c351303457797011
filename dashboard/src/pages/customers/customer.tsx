import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { WholeCustomer } from '../../../../server/src/console/contract/customers.ts'
import { useMay } from '../../ask/me.tsx'
import { type Shown, useAsked } from '../../ask/use-asked.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { addressLines } from '../transactions/transaction-facts.tsx'
import { TransactionTable } from '../transactions/transaction-table.tsx'
import { actWords } from './act-words.ts'
import { CustomerCards, CustomerLetters } from './customer-cards.tsx'
import { CardLinkDialog, EraseDialog } from './customer-dialogs.tsx'
import { words } from './words.ts'

export function CustomerPage() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const shown = useAsked<{ customer: WholeCustomer }>(`customers/${id}`)
  return (
    <>
      <Head shown={shown} />
      <Loaded shown={shown}>
        {({ customer }) => (
          <div className="space-y-6">
            {customer.erased_at !== null && <Notice kind="note">{say.erasedSays}</Notice>}
            <Payments customer={customer} />
            <div className="grid items-start gap-6 lg:grid-cols-2">
              <About customer={customer} />
              <CustomerCards cards={customer.cards} />
            </div>
            <CustomerLetters letters={customer.letters} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function Head({ shown }: { readonly shown: Shown<{ customer: WholeCustomer }> }) {
  const say = useWords(words)
  const back = { to: '/customers', label: say.title } as const
  if (shown.state !== 'there') return <PageHead title={say.customer} back={back} />
  const { customer } = shown.body
  const name = [customer.first_name, customer.last_name].filter(Boolean).join(' ')
  return (
    <PageHead
      title={customer.email ?? say.customer}
      lead={name}
      beside={customer.erased_at === null ? null : <Badge tone="plain">{say.erased}</Badge>}
      actions={<Actions email={customer.email} />}
      back={back}
    />
  )
}

function Actions({ email }: { readonly email: string | null }) {
  const say = useWords(actWords)
  const mayAct = useMay('developer')
  const [asking, setAsking] = useState<'link' | 'erase' | null>(null)
  const close = () => setAsking(null)
  if (!mayAct || email === null) return null
  return (
    <>
      <Button onClick={() => setAsking('link')}>{say.link}</Button>
      <Button onClick={() => setAsking('erase')}>{say.erase}</Button>
      {asking === 'link' && <CardLinkDialog email={email} onClose={close} />}
      {asking === 'erase' && <EraseDialog email={email} onClose={close} />}
    </>
  )
}

function Payments({ customer }: { readonly customer: WholeCustomer }) {
  const say = useWords(words)
  const { payments, id } = customer
  const search = { customer: id } as never
  return (
    <Card
      title={say.payments}
      flush={payments.length > 0}
      actions={
        payments.length > 0 && (
          <ButtonLink small to="/transactions" search={search}>
            {say.allPayments}
          </ButtonLink>
        )
      }
    >
      {payments.length === 0 ? (
        <p className="text-soft">{say.noPayments}</p>
      ) : (
        <TransactionTable rows={payments} hideCustomer />
      )}
    </Card>
  )
}

function About({ customer }: { readonly customer: WholeCustomer }) {
  const say = useWords(words)
  const lines = (address: WholeCustomer['billing']) => addressLines(address).map(line => <div key={line}>{line}</div>)
  return (
    <Card title={say.about}>
      <Facts>
        <Fact name={say.email}>{customer.email ?? '–'}</Fact>
        <Fact name={say.name}>{[customer.first_name, customer.last_name].filter(Boolean).join(' ') || '–'}</Fact>
        {customer.sms_number !== null && <Fact name={say.phone}>{customer.sms_number}</Fact>}
        {customer.billing !== null && <Fact name={say.billing}>{lines(customer.billing)}</Fact>}
        {customer.shipping !== null && <Fact name={say.shipping}>{lines(customer.shipping)}</Fact>}
        <Fact name={say.since}>
          <When at={customer.created_at} whole />
        </Fact>
      </Facts>
    </Card>
  )
}
