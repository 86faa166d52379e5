import { type RefObject, useEffect, useRef } from 'react'

/** What rows call when something happens; it changes at each drawing without drawing them again. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
