import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Pending } from './pending.tsx'
import { servedUnder } from './served-under.ts'

/**
 * In the place of a page that was made for another person or merchant than is signed in now: all of it is loaded anew. The
 * page is gone by then, and with it its form that would ask whether to stay.
 */
export function Leaving() {
  const queries = useQueryClient()
  useEffect(() => {
    const leave = () => {
      queries.clear()
      location.replace(`${servedUnder}/dashboard/`)
    }
    leave()
    // Going back may bring this very page again, as it was.
    addEventListener('pageshow', leave)
    return () => removeEventListener('pageshow', leave)
  }, [queries])
  return <Pending />
}
