import { PageHead } from '../../parts/page-head.tsx'

export function PrivateKeyPage() {
  return <PageHead title="API settings" />
}
