import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'

/** As in `global.css`. */
const LOW_WINDOW = '(max-height: 559px)'

/** The header of the page covers what is scrolled to its top. */
export const HEADER_PX = 48

/**
 * The frame of a table, marked if the table is not wider. In low windows such a frame needs no
 * scrolling, so that the head can stick to the window. A wider table scrolls sideways in its frame,
 * whose top the head sticks to: it then follows the window's scrolling by a distance.
 */
export function useFrame() {
  const frame = useRef<HTMLDivElement>(null)
  const isLow = useMediaQuery(LOW_WINDOW, false, { getInitialValueInEffect: false })
  useEffect(() => {
    const { current } = frame
    const table = current?.querySelector('table')
    if (!isLow || !current || !table) return undefined
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
      current.style.removeProperty('--head')
    }
  }, [isLow])
  return frame
}
