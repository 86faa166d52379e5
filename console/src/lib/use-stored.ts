import { useSyncExternalStore } from 'react'
import { getStored, onStored, setStored } from './storage.ts'

type Key = Parameters<typeof getStored>[0]

/** A browser key as state, shared by every component and tab that reads it. */
export function useStored(key: Key): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    (listener) => onStored(key, listener),
    () => getStored(key),
  )
  return [value, (next) => setStored(key, next)]
}
