import { type RefObject, useLayoutEffect, useState } from 'react'

type Rows = { first: number; last: number }

/** Rows rendered before and after those in view, so that fast scrolling shows no gap. */
const SPARE = 8

/** Positions of the rows of equal height that a scrolled frame renders; `last` is excluded. */
export const rowsAt = (top: number, frameHeight: number, rowHeight: number): Rows => ({
  first: Math.max(0, Math.floor(top / rowHeight) - SPARE),
  last: Math.ceil((top + frameHeight) / rowHeight) + SPARE,
})

/** Keeps as many rows when a search leaves fewer, until the frame has scrolled back. */
export const withinCount = ({ first, last }: Rows, count: number): Rows => {
  const end = Math.min(last, count)
  return { first: Math.max(0, Math.min(first, end - (last - first))), last: end }
}

export function useVisibleRows(
  frame: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): Rows {
  const [rows, setRows] = useState<Rows>({ first: 0, last: 0 })
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => {
      const next = rowsAt(element.scrollTop, element.clientHeight, rowHeight)
      setRows((rows) => (rows.first === next.first && rows.last === next.last ? rows : next))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [frame, rowHeight])
  return withinCount(rows, count)
}
