import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'

/** As in `global.css`. */
const LOW_WINDOW = '(max-height: 559px)'

/**
 * The frame of a table, marked if the table is not wider. In low windows such a frame needs no
 * scrolling, so that the head can stick to the window.
 */
export function useFrame() {
  const frame = useRef<HTMLDivElement>(null)
  const isLow = useMediaQuery(LOW_WINDOW, false, { getInitialValueInEffect: false })
  useEffect(() => {
    const { current } = frame
    const table = current?.querySelector('table')
    if (!isLow || !current || !table) return undefined
    const observer = new ResizeObserver(() => {
      current.toggleAttribute('data-fits', table.offsetWidth <= current.clientWidth)
    })
    observer.observe(current)
    observer.observe(table)
    return () => observer.disconnect()
  }, [isLow])
  return frame
}
