// The ways to sell an offer: link, QR code, button, token.

import type { OfferRecord } from '../../../../server/src/console/contract/records.ts'
import type { OfferToken } from '../../../../server/src/console/contract/selling.ts'
import { addressOf } from '../../ask/ask.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { buttonClasses } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock, CodeLine } from '../../parts/code-block.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words-offer.ts'

export function ShareCard({ offer }: { readonly offer: OfferRecord }) {
  const say = useWords(words)
  return (
    <Card title={say.share} lead={say.shareLead}>
      <div className="flex flex-col gap-6 sm:flex-row">
        <QrCode offer={offer} />
        <div className="min-w-0 grow space-y-4">
          <div>
            <h3 className="font-medium">{say.link}</h3>
            <CodeLine what={say.link} text={offer.pcp_url} />
          </div>
          <div>
            <h3 className="font-medium">{say.mailLink}</h3>
            {offer.mail_to === null ? (
              <p className="text-soft">{say.noMail}</p>
            ) : (
              <CodeLine what={say.mailLink} text={offer.mail_to} />
            )}
          </div>
        </div>
      </div>
    </Card>
  )
}

/** By its path alone: pictures come from where the dashboard comes from, whatever the service is called outside. */
function QrCode({ offer }: { readonly offer: OfferRecord }) {
  const say = useWords(words)
  const png = new URL(offer.qr_code).pathname
  const svg = png.replace(/png$/, 'svg')
  return (
    <div className="w-44 shrink-0">
      <h3 className="sr-only">{say.qr}</h3>
      <img src={svg} alt={say.qrAlt(offer.title)} className="w-full rounded-lg border border-line bg-white" />
      <p className="mt-2 flex flex-col gap-1.5">
        <a href={png} download className={buttonClasses('plain', true)}>
          <Icon name="download" className="size-4" />
          {say.png}
        </a>
        <a href={svg} download className={buttonClasses('plain', true)}>
          <Icon name="download" className="size-4" />
          {say.svg}
        </a>
      </p>
    </div>
  )
}

export function ButtonCard({ offer }: { readonly offer: OfferRecord }) {
  const say = useWords(words)
  return (
    <Card title={say.button}>
      <iframe
        title={say.buttonFrame}
        src={addressOf(`offers/${offer.offer_id}/button`)}
        className="mb-4 block h-32 w-full rounded-md border border-line bg-white"
      />
      <CodeBlock label={say.buttonHtml} text={offer.button_html} wrap />
    </Card>
  )
}

export function TokenCard({ id }: { readonly id: string }) {
  const say = useWords(words)
  const shown = useAsked<{ readonly token: OfferToken }>(`offers/${id}/token`)
  return (
    <Card title={say.token} lead={say.tokenLead}>
      <Loaded shown={shown}>
        {({ token: { content, address } }) =>
          content === null ? (
            <p className="text-soft">{say.noToken}</p>
          ) : (
            <div className="space-y-3">
              <CodeBlock label={say.tokenText} text={content} wrap />
              <p className="text-soft">{address === null ? say.tokenNoMail : say.tokenHow(address)}</p>
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}
