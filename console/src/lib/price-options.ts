import type { PriceOption } from '@tollgate/contract'

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
