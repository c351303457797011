import { PageHead } from '../../parts/page-head.tsx'

export function SnippetsPage() {
  return <PageHead title="API settings" />
}
