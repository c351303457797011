import { PageHead } from '../../parts/page-head.tsx'

export function OfferPage() {
  return <PageHead title="Offer" />
}
