import { Outside } from '../../shell/outside.tsx'

export function InvitationPage() {
  return <Outside title="Join the team">{null}</Outside>
}
