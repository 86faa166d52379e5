import { useEffect, useLayoutEffect, useRef } from 'react'
import type { Turn } from './conversation.ts'

/** How far from the end of the page a reader still follows. */
const NEAR_PX = 40

const isAtEnd = () =>
  window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - NEAR_PX

/** Keeps the end of the page in view while answers come, until the reader scrolls up. */
export function useFollow(turns: readonly Turn[], isRunning: boolean) {
  const follows = useRef(false)
  useEffect(() => {
    let last = window.scrollY
    const onScroll = () => {
      if (isAtEnd()) follows.current = true
      else if (window.scrollY < last) follows.current = false
      last = window.scrollY
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  useLayoutEffect(() => {
    if (isRunning) follows.current = true
  }, [isRunning])
  useLayoutEffect(() => {
    if (isRunning && follows.current) window.scrollTo(0, document.documentElement.scrollHeight)
  }, [turns, isRunning])
}
