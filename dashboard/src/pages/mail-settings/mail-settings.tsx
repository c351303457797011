import { PageHead } from '../../parts/page-head.tsx'

export function MailSettingsPage() {
  return <PageHead title="Mail settings" />
}
