// What the gateway said of an operation that a person has to look into.

import type { DoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { ServiceSays } from '../../parts/service-says.tsx'

/** Oldest first. Each is answered by itself. */
export function sentencesOf({ for_person, more_for_person }: DoubtRecord): readonly string[] {
  return for_person === null ? [] : [for_person, ...more_for_person]
}

export function Sentences({ sentences }: { readonly sentences: readonly string[] }) {
  const [only, ...others] = sentences
  if (only === undefined) return null
  if (others.length === 0) return <ServiceSays sentence={only} />
  return (
    <ul className="list-disc space-y-1 pl-5">
      {sentences.map(each => (
        <li key={each}>
          <ServiceSays sentence={each} />
        </li>
      ))}
    </ul>
  )
}
