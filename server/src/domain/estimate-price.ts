import type { ListedPrice, PriceList } from '@tollgate/contract/prices'

/** A price for a model that is in no list, until its operator sets one. */
export type EstimatedPrice = Pick<ListedPrice, 'model_ratio' | 'completion_ratio'>

/** $60 per million tokens: no known model of a family costs more by mistake than by this. */
const UNKNOWN: EstimatedPrice = { model_ratio: 30, completion_ratio: 1 }

/** Models of a family that are sold for something else than text, or to few customers. */
const OTHER_WORK =
  /image|audio|realtime|tts|live|transcri|embed|rerank|omni|vision|ocr|cyber|rosalind|pro\b|\d-pro|research/

/**
 * The price of the dearest text model of the same family, such as `qwen`. So an unknown name is
 * sold above the price of its relatives rather than below.
 */
export function estimatePrice(model: string, prices: PriceList): EstimatedPrice {
  const family = familyOf(model)
  if (family === null) return UNKNOWN
  let dearest: EstimatedPrice | null = null
  for (const [name, price] of prices) {
    if (familyOf(name) !== family || OTHER_WORK.test(name)) continue
    if (dearest === null || perAnswer(price) > perAnswer(dearest)) dearest = price
  }
  if (dearest === null || perAnswer(dearest) === 0) return UNKNOWN
  const { model_ratio, completion_ratio } = dearest
  return { model_ratio, completion_ratio }
}

/** The price of a prompt that is three times as long as its answer. */
const perAnswer = ({ model_ratio, completion_ratio }: EstimatedPrice) =>
  model_ratio * (3 + completion_ratio)

const FAMILIES =
  /^(?:claude|gemini|gemma|qwen|qwq|glm|kimi|deepseek|mistral|ministral|codestral|devstral|grok|minimax|doubao|mimo|llama|command|hunyuan|ernie|step)/

/** The name may begin with the maker, as at OpenRouter. */
function familyOf(model: string): string | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return FAMILIES.exec(name)?.[0] ?? null
}
