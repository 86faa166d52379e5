import type { ModelApi } from '@tollgate/contract'
import { memoize } from './memoize.ts'
import { isPricedPerImage } from './tasks/image-pricing.ts'

/** In order: the first match counts, and a model without a match chats. */
const NAMED: readonly (readonly [ModelApi, RegExp])[] = [
  ['rerank', /rerank/],
  ['moderations', /moderation/],
  ['realtime', /realtime/],
  ['transcriptions', /whisper|transcri|paraformer|sensevoice|\basr\b/],
  ['speech', /\btts\b|cosyvoice|sambert|\bspeech-\d/],
  [
    'images',
    /dall-e|gpt-image|imagen-|\bflux|stable-diffusion|\bsdxl|seedream|cogview|wanx|qwen-image|kolors|recraft|ideogram|hunyuan-image|grok-.*image/,
  ],
  [
    'embeddings',
    /embed|\bbge-|\be5-|\bgte-|\bm3e\b|^voyage-|tao-8k|similarity|code-search|text-search/,
  ],
]

/** The API that a model is called through, by its name: vendors do not tell it in their lists. */
export const modelApi = memoize((name: string): ModelApi => {
  const plain = name.toLowerCase()
  const named = NAMED.find(([, pattern]) => pattern.test(plain))
  if (named !== undefined) return named[0]
  return isPricedPerImage(name) ? 'images' : 'chat'
})
