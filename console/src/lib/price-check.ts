import { loadChunk } from './load-chunk.ts'
import type { confirmLosses as Confirm } from './losses.ts'

/** Loads the check once something is saved that decides what is earned. See `confirmLosses`. */
export async function confirmLosses(proposal: Parameters<typeof Confirm>[0]) {
  const losses = await loadChunk('losses', () => import('./losses.ts'))
  await losses.confirmLosses(proposal)
}
