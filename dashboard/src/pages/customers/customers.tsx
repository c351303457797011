import { PageHead } from '../../parts/page-head.tsx'

export function CustomersPage() {
  return <PageHead title="Customers" />
}
