import {
  AppError,
  type Language,
  MODEL_PRICES_MAX,
  type ModelPriceRow,
  type modelPriceEndpoints,
  type OwnPrice,
} from '@tollgate/contract'
import { vendors } from '@tollgate/contract/prices'
import { hasPrice, type PricedOptions } from '../../domain/find-price.ts'
import { mappedModel } from '../../domain/model-mapping.ts'
import { dollarsOf, isOwn, layerOf, OWN_PRICE_TABLES, tablesWith } from '../../domain/own-price.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Editor } from '../../settings/editor.ts'
import { listMappings, listOfferedModels } from '../../store/price-feeds.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

export function modelPriceHandlers(deps: AdminDeps): Handlers<typeof modelPriceEndpoints> {
  const { database, settings } = deps
  return {
    listModelPrices: async (_, { query }) => {
      const options = settings.current()
      const names =
        query.scope === 'offered'
          ? await listOfferedModels(database.kysely)
          : namesIn(options, query.scope)
      const keyword = query.keyword.toLowerCase()
      const matching = [...names].filter((name) => name.toLowerCase().includes(keyword))
      const priced = matching.toSorted().flatMap((model) => rowOf(model, options, settings) ?? [])
      const unpriced =
        query.scope === 'offered' ? await findUnpriced(database, matching, options) : []
      return {
        data: {
          total: priced.length,
          rows: priced.slice(0, MODEL_PRICES_MAX),
          unpriced_total: unpriced.length,
          unpriced: unpriced.slice(0, MODEL_PRICES_MAX),
        },
      }
    },
    setModelPrice: async (context, { body }) => {
      const { model, price, from } = body
      const today = new Date(deps.now()).toISOString().slice(0, 10)
      if (from !== undefined && from <= today) throw new AppError('price_day_past', { day: from })
      await settings.setOwnPrice({ model, price, from }, editorOf(deps, context))
      return {}
    },
    resetModelPrice: async (context, { body }) => {
      await settings.setOwnPrice({ model: body.model, price: null }, editorOf(deps, context))
      return {}
    },
  }
}

const editorOf = (deps: AdminDeps, context: CallerContext & { language: Language }): Editor => ({
  actor: context.caller,
  language: context.language,
  nowSeconds: nowSeconds(deps),
  check: (tx) => reauthorize(tx, deps, context),
})

function namesIn(options: PricedOptions, scope: 'own' | 'all'): ReadonlySet<string> {
  const own = OWN_PRICE_TABLES.flatMap((table) => Object.keys(options[table]))
  return new Set(scope === 'own' ? own : [...options.prices.keys(), ...own])
}

/** Models for which an enabled channel has a price neither under their name nor under its own. */
async function findUnpriced(
  database: AdminDeps['database'],
  offered: readonly string[],
  options: PricedOptions,
): Promise<string[]> {
  const unnamed = offered.filter((model) => !hasPrice(model, options))
  if (unnamed.length === 0) return []
  const mappings = await listMappings(database, unnamed)
  const unpriced = mappings.filter(
    ({ model, model_mapping }) => !hasPrice(mappedModel(model_mapping, model), options),
  )
  return [...new Set(unpriced.map(({ model }) => model))].toSorted()
}

/** Null for a model without a price. */
function rowOf(
  model: string,
  options: PricedOptions,
  { planned }: Pick<AdminDeps['settings'], 'planned'>,
): ModelPriceRow | null {
  const price = dollarsOf(model, options)
  const listed = options.prices.get(model)
  const later = planned().filter((row) => row.model === model)
  if (price === null) return null
  return {
    model,
    vendor: vendors.get(model) ?? '',
    layer: layerOf(model, options, listed),
    version: listed?.version ?? '',
    price,
    list: listed === undefined ? null : listPrice(model, options),
    planned: later.map(({ from, price: next }) => ({
      from: new Date(from).toISOString().slice(0, 10),
      price: next,
    })),
  }
}

function listPrice(model: string, options: PricedOptions): OwnPrice | null {
  if (!isOwn(model, options)) return dollarsOf(model, options)
  const withoutOwn = Object.fromEntries(tablesWith(options, model, null))
  return dollarsOf(model, { ...options, ...withoutOwn })
}
