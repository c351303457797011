import type { Role } from '../../../../server/src/console/contract/me.ts'
import { Choices, Radio } from '../../parts/controls.tsx'
import { words as shellWords } from '../../shell/words.ts'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

const roles: readonly Role[] = ['viewer', 'developer', 'owner']

interface RoleChoiceProps {
  readonly role: Role
  readonly onChoose: (role: Role) => void
}

/** Each with what it may do. */
export function RoleChoice({ role, onChoose }: RoleChoiceProps) {
  const say = useWords(words)
  const named = useWords(shellWords)
  return (
    <Choices legend={say.role}>
      {roles.map(each => (
        <Radio
          key={each}
          name="role"
          label={named.roles[each]}
          hint={say.roleSays[each]}
          checked={each === role}
          onChange={() => onChoose(each)}
        />
      ))}
    </Choices>
  )
}
