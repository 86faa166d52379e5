import type { Candidate } from './feed-price.ts'
import { isObject, type Json, perMillion, textOf, times } from './json-values.ts'

/**
 * LiteLLM's model map:
 * https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json. Prices are in
 * dollars per token. Only the vendors' own providers are read, because clouds and resellers list
 * the same names at other prices.
 */
const VENDORS: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  'text-completion-openai': 'OpenAI',
  anthropic: 'Anthropic Claude',
  gemini: 'Google Gemini',
  deepseek: 'DeepSeek',
  xai: 'xAI',
  mistral: 'Mistral AI',
  moonshot: 'Moonshot AI',
  zai: 'Zhipu ChatGLM',
  dashscope: 'Alibaba Tongyi Qianwen',
  minimax: 'MiniMax',
  cohere: 'Cohere',
  cohere_chat: 'Cohere',
  voyage: 'Voyage AI',
  jina_ai: 'Jina AI',
  groq: 'Groq',
  cerebras: 'Cerebras',
  perplexity: 'Perplexity',
  meta_llama: 'Meta',
  volcengine: 'Volcengine',
}

/** Keys that are no models. */
const NOTES = new Set(['sample_spec', 'fallback_generalizations'])

/** As in `input_cost_per_token_above_200k_tokens`. */
const TIER = /^input_cost_per_token_above_(\d+)k_tokens$/

export function* litellmPrices(json: Json): Generator<Candidate> {
  for (const [key, entry] of Object.entries(json)) {
    if (NOTES.has(key) || !isObject(entry)) continue
    const provider = textOf(entry['litellm_provider'])
    const vendor = Object.hasOwn(VENDORS, provider) ? VENDORS[provider] : undefined
    const unit = unitOf(entry)
    if (vendor === undefined || unit === undefined) continue
    const model = key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key
    if (!isCounted(unit, model)) continue
    const prices = { ...UNITS[unit](entry[unit]), ...partsOf(entry) }
    yield { model, vendor, prices, long: longOf(entry) }
  }
}

/** Speech, transcriptions, searches, pages and images may be priced by the piece, not by tokens. */
const UNITS = {
  input_cost_per_token: (cost: unknown) => ({ input: perMillion(cost) }),
  input_cost_per_character: (cost: unknown) => ({ input: perMillion(cost) }),
  input_cost_per_second: (cost: unknown) => ({ per_minute: times(cost, SECONDS_PER_MINUTE) }),
  input_cost_per_query: (cost: unknown) => ({ per_search: cost }),
  ocr_cost_per_page: (cost: unknown) => ({ per_page: cost }),
  output_cost_per_image: (cost: unknown) => ({ per_image: cost }),
} as const

type Unit = keyof typeof UNITS

/** Some entries have a cost of 0 in addition to the real unit. */
function unitOf(entry: Json): Unit | undefined {
  // Safe because these are the keys of UNITS.
  const stated = (Object.keys(UNITS) as Unit[]).filter((unit) => unit in entry)
  return stated.find((unit) => entry[unit] !== 0) ?? stated[0]
}

/** Other rerankers count tokens here. Names such as `1024-x-1024/dall-e-3` are sizes of a model. */
const isCounted = (unit: Unit, model: string) =>
  (unit !== 'input_cost_per_query' || COUNTS_SEARCHES.test(model)) &&
  (unit !== 'output_cost_per_image' || !model.includes('/'))

const COUNTS_SEARCHES = /^rerank-(?:v[1-4]\b|english|multilingual)/

const SECONDS_PER_MINUTE = 60

const partsOf = (entry: Json) => ({
  output: perMillion(entry['output_cost_per_token']),
  cached: perMillion(
    entry['cache_read_input_token_cost'] ?? entry['input_cost_per_token_cache_hit'],
  ),
  cache_write: perMillion(entry['cache_creation_input_token_cost']),
  cache_write_1h: perMillion(entry['cache_creation_input_token_cost_above_1hr']),
  cache_write_12h: perMillion(entry['cache_creation_input_token_cost_above_12hr']),
  audio_input: perMillion(entry['input_cost_per_audio_token']),
  audio_output: perMillion(entry['output_cost_per_audio_token']),
  image_input: perMillion(entry['input_cost_per_image_token']),
})

const longOf = (entry: Json) =>
  Object.keys(entry).flatMap((key) => {
    const [, thousands] = TIER.exec(key) ?? []
    if (thousands === undefined) return []
    const at = (name: string) => perMillion(entry[`${name}_above_${thousands}k_tokens`])
    return [
      {
        above: Number(thousands) * 1000,
        input: at('input_cost_per_token'),
        output: at('output_cost_per_token') ?? perMillion(entry['output_cost_per_token']),
        cached: at('cache_read_input_token_cost'),
      },
    ]
  })
