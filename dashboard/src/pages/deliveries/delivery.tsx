import { PageHead } from '../../parts/page-head.tsx'

export function DeliveryPage() {
  return <PageHead title="Hook delivery" />
}
