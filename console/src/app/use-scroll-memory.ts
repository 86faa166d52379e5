import { useEffect, useRef } from 'react'
import { useIsBackOrForward, useLocation } from '../lib/router/router.tsx'

/** A page that is still too short after this time keeps its scroll position. */
const WAIT_MS = 3000

const GIVES_UP = ['wheel', 'touchstart', 'keydown', 'mousedown'] as const

/** Scrolls once the page is long enough, unless the user acts first. Returns a cancel function. */
function scrollWhenLong(top: number): () => void {
  const stop = new AbortController()
  const isReached = () => {
    window.scrollTo(0, top)
    return window.scrollY >= top - 1
  }
  if (isReached()) return () => {}
  const observer = new ResizeObserver(() => isReached() && stop.abort())
  stop.signal.addEventListener('abort', () => observer.disconnect())
  observer.observe(document.body)
  const timer = setTimeout(() => stop.abort(), WAIT_MS)
  stop.signal.addEventListener('abort', () => clearTimeout(timer))
  for (const type of GIVES_UP) {
    window.addEventListener(type, () => stop.abort(), { signal: stop.signal, passive: true })
  }
  return () => stop.abort()
}

/** New pages start at the top; back and forward restore the scroll position. */
export function useScrollMemory() {
  const { key, pathname } = useLocation()
  const isReturn = useIsBackOrForward()
  const tops = useRef(new Map<string, number>())
  const current = useRef({ key, pathname })

  useEffect(() => {
    const remember = () => tops.current.set(current.current.key, window.scrollY)
    window.addEventListener('scroll', remember, { passive: true })
    return () => window.removeEventListener('scroll', remember)
  }, [])

  useEffect(() => {
    const isSamePage = current.current.pathname === pathname
    current.current = { key, pathname }
    if (isSamePage) return
    return scrollWhenLong(isReturn ? (tops.current.get(key) ?? 0) : 0)
  }, [key, pathname, isReturn])
}
