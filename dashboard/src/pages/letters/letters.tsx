import { PageHead } from '../../parts/page-head.tsx'

export function LettersPage() {
  return <PageHead title="Mails from customers" />
}
