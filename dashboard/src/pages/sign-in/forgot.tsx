import { Outside } from '../../shell/outside.tsx'

export function ForgotPage() {
  return <Outside title="Forgot your password?">{null}</Outside>
}
