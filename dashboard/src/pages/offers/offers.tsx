import { PageHead } from '../../parts/page-head.tsx'

export function OffersPage() {
  return <PageHead title="Offers" />
}
