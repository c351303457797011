import { useEffect, useState } from 'react'

/** Counts down to zero, a second at a time. */
export function useSecondsLeft(): [seconds: number, start: (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (seconds <= 0) return
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000)
    return () => clearTimeout(timer)
  }, [seconds])
  return [seconds, setSeconds]
}
