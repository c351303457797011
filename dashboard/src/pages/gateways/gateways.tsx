import { PageHead } from '../../parts/page-head.tsx'

export function GatewaysPage() {
  return <PageHead title="Gateways" />
}
