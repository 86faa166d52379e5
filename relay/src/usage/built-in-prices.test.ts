import { expect, test } from 'vitest'
import { defaultPrices, PRICE_TABLE_DATE, shutdowns } from '@tollgate/contract/prices'
import { catalogue } from '../catalogue.ts'
import { presets } from '../presets.ts'

const OLLAMA = 30

/** By reason. Operators set these prices, or the default ratio applies. */
const UNPRICED: Readonly<Record<string, string>> = {
  'the vendor retired its API, and resellers set prices of their own':
    'PaLM-2 hunyuan-pro hunyuan-vision',
  'the vendor sells images by size':
    'imagen-4.0-generate-001 qwen-image wanx-v1 ' + 'cogview-3-plus cogview-3-flash',
  'the vendor sells packages or a subscription':
    'Spark-Pro Spark-Pro-128K Spark-Max Spark-Max-32K Spark-4.0-Ultra ' +
    '4.0Ultra generalv3 generalv3.5 max-32k pro-128k',
  'the models and tools that answer decide': 'openrouter/auto groq/compound groq/compound-mini',
  'no public list in dollars or yuan is known':
    'bce-reranker-base qwen3-reranker-8b rerank 360gpt-turbo 360gpt-turbo-responsibility-8k ' +
    'semantic_similarity_s1_v1 Baichuan-M2 Baichuan-M3 Baichuan-Text-Embedding yi-lightning-lite ' +
    'yi-34b-chat-0205 yi-34b-chat-200k yi-vl-plus deepseek-ai/DeepSeek-V3.2 zai-org/GLM-4.6 ' +
    'deepseek/deepseek-v3.2 zai-org/glm-4.6 Qwen/Qwen3-32B meta/llama-3.3-70b-instruct deepseek/DeepSeek-V3-0324 ' +
    '@cf/openai/gpt-oss-120b @cf/meta/llama-3.3-70b-instruct-fp8-fast',
}

/** Ollama's models run on the operator's own machines. */
const OFFERED = [
  ...catalogue.filter(({ type }) => type !== OLLAMA).flatMap(({ models }) => models),
  ...presets.flatMap(({ models }) => models),
]

test('each offered model has a price, or is known to have none', () => {
  const unpriced = Object.values(UNPRICED).flatMap((models) => models.split(' '))
  const without = new Set(OFFERED.filter((model) => !Object.hasOwn(defaultPrices, model)))
  expect([...without].toSorted()).toEqual(unpriced.toSorted())
})

test('no offered model was shut down before the lists were read', () => {
  const names = [...shutdowns].filter(([, day]) => day <= PRICE_TABLE_DATE).map(([name]) => name)
  expect(names).toContain('gpt-4')
  expect(OFFERED.filter((model) => names.includes(model))).toEqual([])
})
