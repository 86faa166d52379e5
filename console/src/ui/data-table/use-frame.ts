import { useEffect, useRef } from 'react'

/** The header of the page covers what is scrolled to its top. */
export const HEADER_PX = 48

/**
 * The frame of a table, marked if the table is not wider. In low windows such a frame needs no
 * scrolling, so that the head can stick to the window. Other frames scroll, and their heads follow
 * the page's header, which covers the top of a frame once the page has scrolled.
 */
export function useFrame() {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = frame
    const table = current?.querySelector('table')
    if (!current || !table) return undefined
    const follow = () => {
      const hidden = HEADER_PX - current.getBoundingClientRect().top - current.clientTop
      const most = current.clientHeight - (table.tHead?.offsetHeight ?? 0)
      current.style.setProperty('--head', `${Math.max(0, Math.min(hidden, most))}px`)
    }
    const observer = new ResizeObserver(() => {
      current.toggleAttribute('data-fits', table.offsetWidth <= current.clientWidth)
      follow()
    })
    observer.observe(current)
    observer.observe(table)
    window.addEventListener('scroll', follow, { passive: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', follow)
    }
  }, [])
  return frame
}
