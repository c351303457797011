import { PageHead } from '../../parts/page-head.tsx'

export function AlertsPage() {
  return <PageHead title="Alerts" />
}
