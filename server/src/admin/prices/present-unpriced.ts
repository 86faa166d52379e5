import type { UnpricedModel } from '@tollgate/contract'
import { estimatePrice } from '../../domain/estimate-price.ts'
import { modelRatio, type PricedOptions } from '../../domain/find-price.ts'

/** Leaves out models that have a price by now, except one that is only an estimate. */
export const presentUnpriced = (
  rows: readonly Omit<UnpricedModel, 'estimated'>[],
  options: PricedOptions,
): UnpricedModel[] =>
  rows.flatMap((row): UnpricedModel[] => {
    const ratio = modelRatio(row.model, options)
    if (ratio === undefined) return [{ ...row, estimated: false }]
    const { model_ratio } = estimatePrice(row.model, options.prices)
    const isListed = options.prices.has(row.model)
    return !isListed && ratio === model_ratio ? [{ ...row, estimated: true }] : []
  })
