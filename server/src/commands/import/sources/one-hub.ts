import { limitedModels } from '../../../other-gateways/gateway-channel.ts'
import {
  listIn,
  flagIn,
  integerIn,
  numberIn,
  objectIn,
  type Row,
  textIn,
  textsIn,
} from '../../../other-gateways/row.ts'
import type { Tell } from '../../../other-gateways/source-channel.ts'
import { nested, readOptions, tableText, UNPRICED_RATIO } from './gateway-options.ts'
import type { Gateway } from './gateway.ts'
import type { SourceTiers } from './source.ts'
import { quoted, type Sql } from './sql.ts'

/** Dollars of a call whose price is 1. */
const DOLLARS_PER_CALL = 0.002
/** Dollars per million tokens of a price of 1. */
const DOLLARS_PER_RATIO = 2

const EXTRA_RATIOS = {
  CacheRatio: ['cached_read_tokens', 'cached_tokens'],
  CacheWriteRatio: ['cached_write_tokens'],
  AudioRatio: ['input_audio_tokens'],
  ImageRatio: ['input_image_tokens'],
} as const

export const oneHub = (product: 'one-hub' | 'done-hub'): Gateway => ({
  product,
  types: 'oneHub',
  tokenLimits: (row) => {
    const setting = objectIn(row, 'setting')
    const limits = { ...setting, ...nested(setting, 'limits') }
    const models = nested(limits, 'limit_model_setting')
    const addresses = nested(limits, 'limits_ip_setting')
    return {
      models: limitedModels(flagIn(models, 'enabled'), models['models']),
      subnets: flagIn(addresses, 'enabled') ? textsIn(addresses['whitelist']) : [],
    }
  },
  logDetails: (row) => ({
    cachedTokens: Math.max(0, integerIn(objectIn(row, 'metadata'), 'cached_tokens')),
    elapsedMs: integerIn(row, 'request_time') || null,
    firstTokenMs: 0,
    upstreamModel: '',
  }),
  settings: async (sql, tell) => {
    const { known, others } = await readOptions(sql)
    const tables = await readPrices(sql, tell)
    for (const [name, table] of Object.entries(tables.ratios)) known.set(name, tableText(table))
    await readGroups(sql, known)
    known.set('DefaultModelRatio', UNPRICED_RATIO)
    return { options: known, unknown: [...others.keys()], tiers: tables.tiers }
  },
})

async function readGroups(sql: Sql, known: Map<string, string>) {
  if (!sql.tables.has('user_groups')) return
  const rows = await sql.query('select * from user_groups')
  const ratios = rows.map((row) => [textIn(row, 'symbol'), numberIn(row, 'ratio')] as const)
  const rates = rows.map((row) => [textIn(row, 'symbol'), integerIn(row, 'api_rate')] as const)
  known.set('GroupRatio', tableText(new Map(ratios)))
  const limited = rates.filter(([, rate]) => rate > 0)
  known.set('GroupRequestsPerMinute', tableText(new Map(limited)))
}

type TieredPrice = NonNullable<ReturnType<SourceTiers['get']>>

type Ratios = Record<
  'ModelRatio' | 'CompletionRatio' | 'ModelPrice' | keyof typeof EXTRA_RATIOS,
  Map<string, number>
>

async function readPrices(sql: Sql, tell: Tell): Promise<{ ratios: Ratios; tiers: SourceTiers }> {
  const ratios: Ratios = {
    ModelRatio: new Map(),
    CompletionRatio: new Map(),
    ModelPrice: new Map(),
    CacheRatio: new Map(),
    CacheWriteRatio: new Map(),
    AudioRatio: new Map(),
    ImageRatio: new Map(),
  }
  const tiers = new Map<string, TieredPrice>()
  const rows = sql.tables.has('prices')
    ? await sql.query(`select * from prices order by ${quoted(sql, 'model')}`)
    : []
  for (const row of rows) {
    for (const model of listIn(textIn(row, 'model'))) {
      if (model.includes('*')) tell('Prices by pattern left out', model)
      else if (textIn(row, 'type') === 'times') {
        ratios.ModelPrice.set(model, numberIn(row, 'input') * DOLLARS_PER_CALL)
      } else addTokenPrice(row, model, { ratios, tiers, tell })
    }
  }
  return { ratios, tiers }
}

type Tables = { ratios: Ratios; tiers: Map<string, TieredPrice>; tell: Tell }

function addTokenPrice(row: Row, model: string, { ratios, tiers, tell }: Tables) {
  const [input, output] = [numberIn(row, 'input'), numberIn(row, 'output')]
  const long = nested(row, 'long_context')
  const extra = nested(row, 'extra_ratios')
  if (integerIn(long, 'threshold') > 0 && input > 0) {
    tiers.set(model, tieredPrice({ input, output }, long, extra))
    return
  }
  if (input === 0 && output > 0) {
    tell('Prices left out, because only their output costs something', model)
    return
  }
  ratios.ModelRatio.set(model, input)
  if (input > 0) ratios.CompletionRatio.set(model, rounded(output / input))
  for (const [name, keys] of Object.entries(EXTRA_RATIOS)) {
    const key = keys.find((candidate) => numberIn(extra, candidate) > 0)
    // Safe because these are the keys of EXTRA_RATIOS.
    if (key !== undefined)
      ratios[name as keyof typeof EXTRA_RATIOS].set(model, numberIn(extra, key))
  }
}

/** Above the threshold, input and output cost these multiples. */
function tieredPrice({ input, output }: { input: number; output: number }, long: Row, extra: Row) {
  const dollars = (ratio: number) => rounded(ratio * DOLLARS_PER_RATIO)
  const cachedRatio = numberIn(extra, 'cached_read_tokens') || numberIn(extra, 'cached_tokens')
  const more = (name: string) => numberIn(long, name) || 1
  return {
    input: dollars(input),
    output: dollars(output),
    ...(cachedRatio > 0 && { cached: dollars(input * cachedRatio) }),
    long: [
      {
        above: integerIn(long, 'threshold'),
        input: dollars(input * more('input_ratio')),
        output: dollars(output * more('output_ratio')),
      },
    ],
  }
}

const rounded = (ratio: number) => Math.round(ratio * 1e9) / 1e9
