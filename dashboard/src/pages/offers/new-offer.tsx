import { PageHead } from '../../parts/page-head.tsx'

export function NewOfferPage() {
  return <PageHead title="New offer" />
}
