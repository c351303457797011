import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { OfferRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useKey } from '../../ask/new-key.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button, ButtonLink, buttonClasses } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { CustomerLinkCard } from './customer-link.tsx'
import { OfferBadge } from './offer-badge.tsx'
import { SalesCard, useSales } from './offer-sales.tsx'
import { ButtonCard, ShareCard, TokenCard } from './offer-share.tsx'
import { TermsCard } from './offer-terms.tsx'
import { words } from './words-offer.ts'

export function OfferPage() {
  const say = useWords(words)
  const { id = '' } = useParams({ strict: false })
  const shown = useAsked<{ readonly offer: OfferRecord }>(`rest/offers/${id}`)
  const sales = useSales(id)
  const offer = shown.state === 'there' ? shown.body.offer : null
  return (
    <>
      <PageHead
        title={offer?.title ?? say.offer}
        back={{ to: '/offers', label: say.offers }}
        beside={offer !== null && sales.state === 'there' && <OfferBadge state={sales.body.sales.state} />}
        actions={offer !== null && <Actions offer={offer} />}
      />
      <Loaded shown={shown}>
        {({ offer }) => (
          <div className="grid items-start gap-6 xl:grid-cols-2">
            <div className="min-w-0 space-y-6">
              <SalesCard id={id} />
              {offer.active && <ShareCard offer={offer} />}
            </div>
            <div className="min-w-0 space-y-6">
              <TermsCard offer={offer} />
              {offer.active && <ButtonCard offer={offer} />}
              {offer.active && <CustomerLinkCard offer={offer} />}
              {offer.active && <TokenCard id={id} />}
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Actions({ offer }: { readonly offer: OfferRecord }) {
  const say = useWords(words)
  const may = useMay('developer')
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      {offer.active && (
        <a href={offer.pcp_url} target="_blank" rel="noreferrer" className={buttonClasses()}>
          <Icon name="external" />
          {say.open}
        </a>
      )}
      {may && (
        <ButtonLink to="/offers/new" search={{ like: offer.offer_id } as never}>
          {say.another}
        </ButtonLink>
      )}
      {may && offer.active && <Button onClick={() => setAsking(true)}>{say.deactivate}</Button>}
      {isAsking && <Deactivate offer={offer} onClose={() => setAsking(false)} />}
    </>
  )
}

function Deactivate({ offer, onClose }: { readonly offer: OfferRecord; readonly onClose: () => void }) {
  const say = useWords(words)
  const toast = useToast()
  const key = useKey()
  const path = `rest/offers/${offer.offer_id}`
  const change = useChange(() => ask(path, { method: 'DELETE', key }), ['rest/offers', 'offers'])
  const submit = async () => {
    const done = await change.run()
    if (!done.ok) return
    toast(say.deactivated)
    onClose()
  }
  return (
    <FormDialog
      title={say.deactivateTitle}
      action={say.deactivate}
      danger
      pending={change.isRunning}
      refused={change.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.deactivateSays(offer.title)}</p>
    </FormDialog>
  )
}
