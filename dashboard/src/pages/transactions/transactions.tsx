import { PageHead } from '../../parts/page-head.tsx'

export function TransactionsPage() {
  return <PageHead title="Transactions" />
}
