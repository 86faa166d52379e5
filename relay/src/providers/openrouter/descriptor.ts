import { type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const openrouter = {
  ...openaiApi,
  type: 20,
  name: { en: 'Proxy: OpenRouter', zh: '代理：OpenRouter' },
  color: 'black',
  baseUrl: 'https://openrouter.ai/api',
  models: words(`
    openrouter/auto openai/gpt-6.2-astra openai/gpt-6.2-sol openai/gpt-6-luna openai/gpt-5.4
    openai/gpt-oss-120b openai/gpt-oss-20b anthropic/claude-fable-5.2 anthropic/claude-opus-5.5
    anthropic/claude-sonnet-5.5 anthropic/claude-haiku-5.5 google/gemini-4-neon
    google/gemini-4-argon google/gemini-3.8-flash x-ai/grok-4.7 deepseek/deepseek-v4-pro
    mistralai/mistral-medium-3.5 mistralai/mistral-nemo qwen/qwen3.8-max moonshotai/kimi-k3.1-pro
    z-ai/glm-5.3 minimax/minimax-m3
  `),
  balanceUnit: 'usd',
  streamUsage: 'always',
  headers: 'openrouter',
  supports: ['chat', 'completions', 'embeddings', 'rerank'],
} as const satisfies ProviderDescriptor
