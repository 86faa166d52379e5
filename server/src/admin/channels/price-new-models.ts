import type { Language } from '@tollgate/contract'
import { estimatePrice } from '../../domain/estimate-price.ts'
import { hasPrice } from '../../domain/find-price.ts'
import { readMapping } from '../../domain/model-mapping.ts'
import { addUnpricedUse } from '../../store/unpriced-models.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

type Served = { readonly models: string; readonly model_mapping: string }

/**
 * Where models without a price are rejected, gives those of a saved channel an estimated price of
 * their own. The price pages list them until their operator sets another price.
 */
export async function priceNewModels(
  deps: AdminDeps,
  context: CallerContext & { language: Language },
  { models, model_mapping }: Served,
): Promise<void> {
  const { database, settings } = deps
  const options = settings.current()
  if (options.DefaultModelRatio !== null) return
  const mapping = readMapping(model_mapping)
  const unpriced = models
    .split(',')
    .filter((name) => name !== '')
    .filter((name) => !hasPrice(name, options) && !hasPrice(mapping.get(name) ?? name, options))
  if (unpriced.length === 0) return
  const estimates = unpriced.map((name) => {
    const price = estimatePrice(mapping.get(name) ?? name, options.prices)
    return { name, ...price }
  })
  const editor = {
    actor: context.caller,
    language: context.language,
    nowSeconds: nowSeconds(deps),
    check: (tx: Parameters<typeof reauthorize>[0]) => reauthorize(tx, deps, context),
  }
  const ratiosOf = (field: 'model_ratio' | 'completion_ratio') =>
    Object.fromEntries(estimates.map((estimate) => [estimate.name, estimate[field]]))
  await settings.addRatios({ key: 'CompletionRatio', ratios: ratiosOf('completion_ratio') }, editor)
  await settings.addRatios({ key: 'ModelRatio', ratios: ratiosOf('model_ratio') }, editor)
  await database.transaction(async (tx) => {
    for (const model of unpriced.toSorted()) {
      await addUnpricedUse(tx, { model, charged: 0, rejected: 0 }, editor.nowSeconds)
    }
  })
}
