// What an offer says: all that it was made with.

import { Link } from '@tanstack/react-router'
import type { OfferRecord } from '../../../../server/src/console/contract/records.ts'
import { Card } from '../../parts/card.tsx'
import { CodeBlock, CodeLine } from '../../parts/code-block.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words-offer.ts'

export function TermsCard({ offer }: { readonly offer: OfferRecord }) {
  const say = useWords(words)
  const { details, custom_fields, address, custom_data } = offer
  const texts = { ref_id: offer.ref_id, campaign: offer.campaign, tag: offer.tag, form: offer.form }
  const more = { custom_user_data: offer.custom_user_data, fulfillment: offer.fulfillment }
  return (
    <Card title={say.terms}>
      <Facts>
        <Fact name={say.id}>
          <CodeLine what={say.id} text={offer.offer_id} />
        </Fact>
        <Fact name={say.price}>
          <Money amount={offer.amount} currency={offer.currency} />
        </Fact>
        {details !== null && details !== '' && (
          <Fact name={say.details}>
            <span className="whitespace-pre-line">{details}</span>
          </Fact>
        )}
        <Fact name={say.made}>
          <When at={offer.created_at} whole />
        </Fact>
        {offer.expires_at !== null && (
          <Fact name={say.expires}>
            <When at={offer.expires_at} whole />
          </Fact>
        )}
        {offer.email !== null && <Fact name={say.only}>{offer.email}</Fact>}
        {address !== null && <Fact name={say.asksAddress}>{say.addresses[address]}</Fact>}
        {custom_fields.length > 0 && (
          <Fact name={say.asks}>
            {custom_fields.map(({ name, required }) => (required ? `${name} (${say.required})` : name)).join(', ')}
          </Fact>
        )}
        {offer.authorization_only && <Fact name={say.authorizes}>{say.authorizesOnly}</Fact>}
        {offer.gateway !== null && (
          <Fact name={say.gateway}>
            <Link to="/gateways" className="text-accent hover:underline">
              {offer.gateway}
            </Link>
          </Fact>
        )}
        {Object.entries({ ...texts, ...more }).map(([name, value]) =>
          value === null ? null : (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ),
        )}
      </Facts>
      {Object.keys(custom_data).length > 0 && (
        <div className="mt-3">
          <CodeBlock label={say.data} text={JSON.stringify(custom_data, null, 2)} />
        </div>
      )}
    </Card>
  )
}
