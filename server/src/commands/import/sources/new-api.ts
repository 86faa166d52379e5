import { limitedModels } from '../../../other-gateways/gateway-channel.ts'
import { flagIn, integerIn, numberIn, objectIn, textIn } from '../../../other-gateways/row.ts'
import type { Tell } from '../../../other-gateways/source-channel.ts'
import { readBillingExpression } from './billing-expression.ts'
import {
  numbersIn,
  readOptions,
  type StoredOptions,
  tableText,
  textsByName,
} from './gateway-options.ts'
import { subnetsIn } from './gateway-rows.ts'
import type { Gateway } from './gateway.ts'
import type { SourceTiers } from './source.ts'

const PRICE_TABLES = [
  'GroupRatio',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'ImageRatio',
  'AudioRatio',
  'ModelPrice',
] as const

const MS_PER_SECOND = 1000
/** What New API charges for a model without a price if only its owner uses it. */
const SELF_USE_RATIO = '37.5'

export const newApi: Gateway = {
  product: 'New API',
  types: 'newApi',
  tokenLimits: (row) => ({
    models: limitedModels(flagIn(row, 'model_limits_enabled'), textIn(row, 'model_limits')),
    subnets: subnetsIn(row, 'allow_ips'),
  }),
  logDetails: (row) => {
    const other = objectIn(row, 'other')
    return {
      cachedTokens: Math.max(0, integerIn(other, 'cache_tokens')),
      elapsedMs: integerIn(row, 'use_time') * MS_PER_SECOND || null,
      firstTokenMs: Math.max(0, Math.round(numberIn(other, 'frt'))),
      upstreamModel: textIn(other, 'upstream_model_name'),
    }
  },
  settings: async (sql, tell) => {
    const stored = await readOptions(sql)
    const { known, others } = stored
    for (const name of PRICE_TABLES) {
      const text = known.get(name)
      if (text !== undefined) known.set(name, tableText(numbersIn(text)))
    }
    setAudioOutput(stored)
    // New API rejects models without a price, unless its owner alone uses it.
    const isSelfUse = others.get('SelfUseModeEnabled') === 'true'
    known.set('DefaultModelRatio', isSelfUse ? SELF_USE_RATIO : '')
    const tiers = readTiers(stored, tell)
    for (const name of ['ModelRatio', 'CompletionRatio', 'CacheRatio', 'CacheWriteRatio']) {
      const table = numbersIn(known.get(name))
      const others = [...table].filter(([model]) => !tiers.has(model))
      if (others.length < table.size) known.set(name, tableText(new Map(others)))
    }
    return { options: known, unknown: [...others.keys()], tiers }
  },
}

/** Audio output is priced there by audio input, and here by text input. */
function setAudioOutput({ known }: StoredOptions) {
  const outputs = numbersIn(known.get('AudioCompletionRatio'))
  if (!known.has('AudioCompletionRatio')) return
  const inputs = numbersIn(known.get('AudioRatio'))
  const byText = [...outputs].flatMap(([model, ratio]) => {
    const input = inputs.get(model)
    return input === undefined ? [] : [[model, input * ratio] as const]
  })
  known.set('AudioCompletionRatio', tableText(new Map(byText)))
}

function readTiers({ others }: StoredOptions, tell: Tell): SourceTiers {
  const modes = textsByName(others.get('billing_setting.billing_mode'))
  const expressions = textsByName(others.get('billing_setting.billing_expr'))
  const tiers = new Map<string, NonNullable<ReturnType<SourceTiers['get']>>>()
  for (const [model, expression] of expressions) {
    if (modes.get(model) !== 'tiered_expr') continue
    const read = readBillingExpression(expression)
    if (read === null) tell('Price expressions left out', `${model}: ${expression}`)
    else tiers.set(model, read)
  }
  return tiers
}
