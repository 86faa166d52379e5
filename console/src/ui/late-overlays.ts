import { useSyncExternalStore } from 'react'
import { loadExtra } from '../lib/load-chunk.ts'
import { onPageShown } from '../lib/page-shown.ts'
import type * as OverlayModule from './overlays.ts'

export type Overlays = typeof OverlayModule

let overlays: Overlays | undefined
const listeners = new Set<() => void>()

const load = () => import('./overlays.ts')

function keep(loaded: Overlays | undefined) {
  overlays = loaded
  for (const listener of listeners) listener()
}

/** Reports a failure and returns `undefined`. */
export async function loadOverlays(): Promise<Overlays | undefined> {
  if (!overlays) keep(await loadExtra('overlays', load))
  return overlays
}

let isPreloaded = false

/**
 * Loads them once the page is shown: the page does not wait for them, and their first use rarely
 * does. That use reports a failure.
 */
export function preloadOverlays() {
  if (isPreloaded) return
  isPreloaded = true
  onPageShown(() => void load().then(keep, () => undefined))
}

function onLoaded(listener: () => void) {
  preloadOverlays()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Undefined until they are loaded. */
export const useOverlays = () => useSyncExternalStore(onLoaded, () => overlays)
