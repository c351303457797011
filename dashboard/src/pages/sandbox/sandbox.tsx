import { PageHead } from '../../parts/page-head.tsx'

export function SandboxPage() {
  return <PageHead title="Sandbox" />
}
