// How something would look to a customer, asked while it is being typed.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { PagePreview } from '../../../../server/src/console/contract/selling.ts'
import { ask, type Refused } from '../../ask/ask.ts'
import type { Language } from '../../words/language.tsx'

const pauseMs = 350

export interface Preview {
  /** Null: there is none yet. */
  readonly page: PagePreview | null
  readonly refused: Refused | null
}

/** `json` null: there is nothing to look at yet. */
export function usePreview(path: string, json: object | null, language: Language): Preview {
  const asked = useSettled(json === null ? null : JSON.stringify(json))
  const { data, error } = useQuery<PagePreview, Refused>({
    queryKey: [path, 'preview', asked, language],
    queryFn: async ({ signal }) => {
      const question = { method: 'POST', json: JSON.parse(asked ?? '{}'), query: { language }, signal } as const
      const answer = await ask<{ readonly preview: PagePreview }>(path, question)
      if (!answer.ok) throw answer
      return answer.body.preview
    },
    placeholderData: keepPreviousData,
    enabled: asked !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { page: data ?? null, refused: error }
}

/** As it stands when typing pauses. */
function useSettled(text: string | null): string | null {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
