import { PageHead } from '../../parts/page-head.tsx'

export function DeliveriesPage() {
  return <PageHead title="Hook deliveries" />
}
