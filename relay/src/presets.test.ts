import { expect, test } from 'vitest'
import { upstreamUrl, joinAddress } from './addresses/upstream-request.ts'
import { descriptorOf, isServable } from './catalogue.ts'
import { presets } from './presets.ts'

const PATHS = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const

function chatAddress({ type, baseUrl }: { type: number; baseUrl: string }): string | null {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`${type} is no channel type`)
  if (descriptor.dialect === 'anthropic') return joinAddress(baseUrl, '', PATHS.anthropic)
  return upstreamUrl({ descriptor, baseUrl, path: PATHS.openai, model: 'm' })
}

test('each preset has its own id and name, and a type whose form shows the address', () => {
  expect(new Set(presets.map(({ id }) => id)).size).toBe(presets.length)
  expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length)
  for (const { id, type } of presets) {
    expect(isServable(type), id).toBe(true)
    const names = descriptorOf(type)?.fields.map(({ name }) => name)
    expect(names, id).toContain('base_url')
  }
})

test('requests are sent to the documented addresses', () => {
  const addresses = Object.fromEntries(presets.map((preset) => [preset.id, chatAddress(preset)]))
  expect(addresses).toMatchObject({
    deepseek: 'https://api.deepseek.com/v1/chat/completions',
    'deepseek-anthropic': 'https://api.deepseek.com/anthropic/v1/messages',
    xai: 'https://api.x.ai/v1/chat/completions',
    volcengine: 'https://ark.cn-beijing.volces.com/api/v3/chat/completions',
    'doubao-coding-plan': 'https://ark.cn-beijing.volces.com/api/coding/v1/messages',
    zai: 'https://api.z.ai/api/paas/v4/chat/completions',
    'zai-coding-plan': 'https://api.z.ai/api/anthropic/v1/messages',
    'zai-coding-plan-openai': 'https://api.z.ai/api/coding/paas/v4/chat/completions',
    'zhipu-coding-plan': 'https://open.bigmodel.cn/api/anthropic/v1/messages',
    'moonshot-anthropic': 'https://api.moonshot.cn/anthropic/v1/messages',
    'kimi-coding-plan': 'https://api.kimi.com/coding/v1/messages',
    'minimax-anthropic': 'https://api.minimaxi.com/anthropic/v1/messages',
    'qwen-coding-plan': 'https://coding.dashscope.aliyuncs.com/apps/anthropic/v1/messages',
    perplexity: 'https://api.perplexity.ai/chat/completions',
    fireworks: 'https://api.fireworks.ai/inference/v1/chat/completions',
    cohere: 'https://api.cohere.ai/compatibility/v1/chat/completions',
    cloudflare: 'https://api.cloudflare.com/client/v4/accounts/ACCOUNT_ID/ai/v1/chat/completions',
    'github-models': 'https://models.github.ai/inference/chat/completions',
    vllm: 'http://127.0.0.1:8000/v1/chat/completions',
  })
})
