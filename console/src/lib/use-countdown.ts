import { useCallback, useEffect, useState } from 'react'

/** Counts down to 0 in whole seconds. Uses the monotonic clock, so clock changes do not matter. */
export function useCountdown(seconds: number) {
  const [endsAt, setEndsAt] = useState<number | null>(null)
  const [now, setNow] = useState(0)

  useEffect(() => {
    if (endsAt === null) return
    const timer = setInterval(() => {
      setNow(performance.now())
      if (performance.now() >= endsAt) setEndsAt(null)
    }, 1000)
    return () => clearInterval(timer)
  }, [endsAt])

  const start = useCallback(() => {
    const startedAt = performance.now()
    setNow(startedAt)
    setEndsAt(startedAt + seconds * 1000)
  }, [seconds])
  const stop = useCallback(() => setEndsAt(null), [])
  const left = endsAt === null ? 0 : Math.max(0, Math.ceil((endsAt - now) / 1000))
  return { left, start, stop }
}
