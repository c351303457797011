import { PageHead } from '../../parts/page-head.tsx'

export function DoubtPage() {
  return <PageHead title="In doubt" />
}
