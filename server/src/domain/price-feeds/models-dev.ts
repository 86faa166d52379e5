import type { Candidate } from './feed-price.ts'
import { isObject, type Json, objectsIn } from './json-values.ts'

/**
 * https://models.dev/api.json: providers, each with its models. Prices are in dollars per million
 * tokens. Only the vendors' own entries are read.
 */
const VENDORS: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic Claude',
  google: 'Google Gemini',
  deepseek: 'DeepSeek',
  xai: 'xAI',
  mistral: 'Mistral AI',
  moonshotai: 'Moonshot AI',
  zai: 'Zhipu ChatGLM',
  alibaba: 'Alibaba Tongyi Qianwen',
  minimax: 'MiniMax',
  cohere: 'Cohere',
  groq: 'Groq',
  cerebras: 'Cerebras',
  perplexity: 'Perplexity',
  xiaomi: 'Xiaomi',
  stepfun: 'StepFun',
}

const LONG_CONTEXT = 200_000

export function* modelsDevPrices(json: Json): Generator<Candidate> {
  for (const [id, provider] of Object.entries(json)) {
    const vendor = Object.hasOwn(VENDORS, id) ? VENDORS[id] : undefined
    if (vendor === undefined || !isObject(provider) || !isObject(provider['models'])) continue
    for (const [model, entry] of Object.entries(provider['models'])) {
      if (!isObject(entry) || !isObject(entry['cost'])) continue
      const { cost } = entry
      yield { model, vendor, prices: pricesOf(cost), long: longOf(cost) }
    }
  }
}

const pricesOf = (cost: Json) => ({
  input: cost['input'],
  output: cost['output'],
  cached: cost['cache_read'],
  cache_write: cost['cache_write'],
  audio_input: cost['input_audio'],
  audio_output: cost['output_audio'],
})

function longOf(cost: Json) {
  const over = cost['context_over_200k']
  const single = isObject(over) ? [tierOf(over, LONG_CONTEXT)] : []
  const tiers = objectsIn(cost['tiers']).flatMap((entry) => {
    const { tier } = entry
    const isContext = isObject(tier) && tier['type'] === 'context'
    return isContext ? [tierOf(entry, tier['size'])] : []
  })
  return tiers.length > 0 ? tiers : single
}

const tierOf = (entry: Json, above: unknown) => ({
  above,
  input: entry['input'],
  output: entry['output'],
  cached: entry['cache_read'],
})
