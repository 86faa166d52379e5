import { type RefObject, useEffect, useRef } from 'react'

/** Ref to the latest callbacks, so that new callbacks do not re-render the rows. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
