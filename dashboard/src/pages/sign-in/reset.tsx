import { Outside } from '../../shell/outside.tsx'

export function ResetPage() {
  return <Outside title="Choose a new password">{null}</Outside>
}
