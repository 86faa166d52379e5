import { useSyncExternalStore } from 'react'
import { getStored, onStored, setStored } from './storage.ts'

type Key = Parameters<typeof getStored>[0]

/** A browser storage key as state, shared across components and tabs. */
export function useStored(key: Key): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    (listener) => onStored(key, listener),
    () => getStored(key),
  )
  return [value, (next) => setStored(key, next)]
}
