import { PageHead } from '../../parts/page-head.tsx'

export function TransactionPage() {
  return <PageHead title="Transaction" />
}
