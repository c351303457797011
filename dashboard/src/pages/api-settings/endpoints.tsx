import { PageHead } from '../../parts/page-head.tsx'

export function EndpointsPage() {
  return <PageHead title="API settings" />
}
