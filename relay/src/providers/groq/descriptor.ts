import { type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const groq = {
  ...openaiApi,
  type: 29,
  name: { en: 'Groq', zh: 'Groq' },
  color: 'orange',
  baseUrl: 'https://api.groq.com/openai',
  models: words(`
    openai/gpt-oss-120b openai/gpt-oss-20b openai/gpt-oss-safeguard-20b qwen/qwen3.8-27b
    groq/compound groq/compound-mini whisper-large-v3-turbo whisper-large-v3
    canopylabs/orpheus-v1-english canopylabs/orpheus-arabic-saudi
    meta-llama/llama-prompt-guard-2-86m meta-llama/llama-prompt-guard-2-22m
  `),
  dropFields: ['logit_bias', 'logprobs', 'top_logprobs'],
  supports: ['chat', 'speech', 'transcriptions', 'translations'],
} as const satisfies ProviderDescriptor
