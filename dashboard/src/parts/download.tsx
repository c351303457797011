import { useQueryClient } from '@tanstack/react-query'
import type { MouseEvent, ReactNode } from 'react'
import type { Me } from '../../../server/src/console/contract/me.ts'
import { addressOf, ask, type Query } from '../ask/ask.ts'
import { nowIs } from '../ask/use-asked.ts'
import { useChange } from '../ask/use-change.ts'
import { buttonClasses } from './button.tsx'
import { Refusal } from './failure.tsx'
import { Icon } from './icon.tsx'

interface DownloadProps {
  readonly path: string
  readonly query: Query
  readonly children: ReactNode
}

/** A file. The browser says nothing of one that is refused: so it is asked first whether somebody is still signed in, and who. */
export function Download({ path, query, children }: DownloadProps) {
  const queries = useQueryClient()
  const asking = useChange(() => ask<{ me: Me }>('me'))
  const href = addressOf(path, query)
  const load = async (event: MouseEvent) => {
    event.preventDefault()
    const asked = await asking.run()
    if (!asked.ok || !nowIs(queries, asked.body.me)) return
    const link = Object.assign(document.createElement('a'), { href, download: '' })
    link.click()
  }
  return (
    <>
      <a href={href} download onClick={load} className={buttonClasses()}>
        <Icon name="download" />
        {children}
      </a>
      <Refusal refused={asking.refused} />
    </>
  )
}
