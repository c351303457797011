import { PageHead } from '../../parts/page-head.tsx'

export function TeamPage() {
  return <PageHead title="Team" />
}
