import { type FocusEvent, useEffect, useRef } from 'react'

/** A row that goes away with the focus in it leaves it to the row in its place, or to the table. */
export function useKeptFocus(rows: unknown, active: number) {
  const frame = useRef<HTMLDivElement>(null)
  const isInside = useRef(false)

  useEffect(() => {
    if (!isInside.current || document.activeElement !== document.body) return
    const shown = frame.current?.querySelectorAll<HTMLElement>('tr[data-row]') ?? []
    const next = shown[Math.min(active, shown.length - 1)] ?? frame.current
    next?.focus()
  }, [rows, active])

  return {
    ref: frame,
    onFocus: () => {
      isInside.current = true
    },
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
      isInside.current = relatedTarget !== null && currentTarget.contains(relatedTarget)
    },
  }
}
