import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'

type Settings = { frame: RefObject<HTMLElement | null>; active: number }

/**
 * When the focused element disappears (a row, a button of a closing bar, the last page's link),
 * moves focus to the row now in its place, or to the table.
 */
export function useKeptFocus({ frame, active }: Settings) {
  const isInside = useRef(false)

  useEffect(() => {
    if (!isInside.current || document.activeElement !== document.body) return
    const shown = frame.current?.querySelectorAll<HTMLElement>('tr[data-row]') ?? []
    const next = shown[Math.min(active, shown.length - 1)] ?? frame.current
    next?.focus()
  })

  return {
    onFocus: () => {
      isInside.current = true
    },
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
      isInside.current = relatedTarget !== null && currentTarget.contains(relatedTarget)
    },
  }
}
