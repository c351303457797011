import { PageHead } from '../../parts/page-head.tsx'

export function BrandingPage() {
  return <PageHead title="Branding" />
}
