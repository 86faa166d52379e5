import { useSyncExternalStore } from 'react'

/** By then the frame is complete even if no page was loaded. */
const DEADLINE_MS = 3000
/** For browsers that do not say when they are idle. */
const PAUSE_MS = 200

let isShown = false
let isAwaited = false
const listeners = new Set<() => void>()

function show() {
  isShown = true
  for (const listener of listeners) listener()
}

/** To be called when the first page has been drawn. */
export function markPageShown() {
  if (isAwaited) return
  isAwaited = true
  if ('requestIdleCallback' in window) requestIdleCallback(show, { timeout: DEADLINE_MS })
  else setTimeout(show, PAUSE_MS)
}

setTimeout(markPageShown, DEADLINE_MS)

function onShown(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Runs `run` once a page has been drawn, at once if that was before. */
export function onPageShown(run: () => void) {
  if (isShown) run()
  else listeners.add(run)
}

/**
 * Whether a page has been drawn. Parts of the frame that load code or data of their own wait for
 * that, so that the page does not wait for them.
 */
export const useIsPageShown = () => useSyncExternalStore(onShown, () => isShown)
