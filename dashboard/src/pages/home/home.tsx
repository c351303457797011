import { PageHead } from '../../parts/page-head.tsx'

export function HomePage() {
  return <PageHead title="Home" />
}
