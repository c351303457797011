import { PageHead } from '../../parts/page-head.tsx'

export function ChangesPage() {
  return <PageHead title="Audit log" />
}
