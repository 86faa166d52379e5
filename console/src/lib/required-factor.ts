import { useSyncExternalStore } from 'react'

/**
 * True while the server refuses this account everything but setting up its second factor. Set by a
 * refused call and reset with the session.
 */
let isRequired = false
const listeners = new Set<() => void>()

export const isFactorRequired = () => isRequired

export function setFactorRequired(next: boolean) {
  if (next === isRequired) return
  isRequired = next
  for (const listener of listeners) listener()
}

export function onFactorRequired(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useFactorRequired = () => useSyncExternalStore(onFactorRequired, isFactorRequired)
