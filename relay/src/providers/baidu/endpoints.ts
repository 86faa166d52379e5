import { addressPart } from '../../addresses/upstream-request.ts'

const BASE = '/rpc/2.0/ai_custom/v1/wenxinworkshop'

/** Source: bce-qianfan-sdk, 2025-12. Other models have their own name as the path. */
const ENDPOINTS: ReadonlyMap<string, string> = new Map([
  ['ernie-4.0-8k', 'completions_pro'],
  ['ernie-4.0', 'completions_pro'],
  ['ernie-bot-4', 'completions_pro'],
  ['ernie-4.0-8k-preview-0518', 'completions_adv_pro'],
  ['ernie-3.5-8k', 'completions'],
  ['ernie-bot', 'completions'],
  ['ernie-bot-8k', 'ernie_bot_8k'],
  ['ernie-bot-turbo', 'eb-instant'],
  ['ernie-speed', 'ernie_speed'],
  ['ernie-speed-8k', 'ernie_speed'],
  ['ernie-lite-8k-0922', 'eb-instant'],
  ['ernie-lite-8k-0308', 'ernie-lite-8k'],
  ['ernie-functions-8k', 'ernie-func-8k'],
  ['ernie-character-8k', 'ernie-char-8k'],
  ['bloomz-7b', 'bloomz_7b1'],
  ['bge-large-zh', 'bge_large_zh'],
  ['bge-large-en', 'bge_large_en'],
  ['tao-8k', 'tao_8k'],
])

export const chatPath = (model: string) => `${BASE}/chat/${endpointOf(model)}`
export const embeddingsPath = (model: string) => `${BASE}/embeddings/${endpointOf(model)}`

function endpointOf(model: string): string {
  const name = model.toLowerCase()
  return ENDPOINTS.get(name) ?? addressPart(name)
}
