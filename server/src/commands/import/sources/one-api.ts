import { integerIn, listIn, textIn } from '../../../other-gateways/row.ts'
import { numbersIn, readOptions, tableText, UNPRICED_RATIO } from './gateway-options.ts'
import { subnetsIn } from './gateway-rows.ts'
import type { Gateway } from './gateway.ts'

/** Tables of numbers by name, whose numbers may be texts. */
const NUMBER_TABLES = ['GroupRatio', 'ModelRatio', 'CompletionRatio'] as const

export const oneApi: Gateway = {
  product: 'One API',
  types: 'oneApi',
  tokenLimits: (row) => ({
    models: listIn(textIn(row, 'models')),
    subnets: subnetsIn(row, 'subnet'),
  }),
  logDetails: (row) => ({
    cachedTokens: 0,
    elapsedMs: integerIn(row, 'elapsed_time') || null,
    firstTokenMs: 0,
    upstreamModel: '',
  }),
  settings: async (sql) => {
    const { known, others } = await readOptions(sql)
    for (const name of NUMBER_TABLES) {
      const text = known.get(name)
      if (text !== undefined) known.set(name, tableText(numbersIn(text)))
    }
    known.set('DefaultModelRatio', UNPRICED_RATIO)
    return { options: known, unknown: [...others.keys()], tiers: new Map() }
  },
}
