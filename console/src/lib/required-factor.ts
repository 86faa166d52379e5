import { useSyncExternalStore } from 'react'

/**
 * Whether the server serves this account nothing but its second factor until there is one. Learned
 * from the refusal of a call, and forgotten with the session.
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
