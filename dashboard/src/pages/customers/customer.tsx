import { PageHead } from '../../parts/page-head.tsx'

export function CustomerPage() {
  return <PageHead title="Customer" />
}
