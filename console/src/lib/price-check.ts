import type { PriceOption } from '@tollgate/contract'
import { loadChunk } from './load-chunk.ts'
import type { confirmLosses as Confirm } from './losses.ts'

/** Loads the check once something is saved that decides what is earned. See `confirmLosses`. */
export async function confirmLosses(proposal: Parameters<typeof Confirm>[0]) {
  const losses = await loadChunk('losses', () => import('./losses.ts'))
  await losses.confirmLosses(proposal)
}

/** The options that decide what customers pay. */
const PRICE_OPTIONS: Readonly<Record<PriceOption, true>> = {
  ModelRatio: true,
  CompletionRatio: true,
  CacheRatio: true,
  CacheWriteRatio: true,
  AudioRatio: true,
  AudioCompletionRatio: true,
  ImageRatio: true,
  ModelPrice: true,
  GroupRatio: true,
  DefaultModelRatio: true,
  QuotaPerUnit: true,
}

export const isPriceChange = <Change extends { key: string; value: string }>(
  change: Change,
): change is Change & { key: PriceOption } => Object.hasOwn(PRICE_OPTIONS, change.key)
