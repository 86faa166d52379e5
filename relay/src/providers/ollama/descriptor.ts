import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const ollama = {
  ...ownApi,
  type: 30,
  name: { en: 'Ollama', zh: 'Ollama' },
  color: 'black',
  baseUrl: 'http://localhost:11434',
  usualKey: 'ollama',
  dialect: 'ollama',
  models: words(`
    gemma4 qwen3 qwen3.5 gpt-oss:20b gpt-oss:120b deepseek-r1 llama3.2 mistral-small
    nomic-embed-text codellama:7b-instruct llama2:7b llama2:latest llama3:latest phi3:latest
    qwen:0.5b-chat qwen:7b
  `),
  // Ollama does not count a cached prompt, such as that of a repeated channel test.
  mayOmitUsage: ['chat'],
  supports: ['chat', 'completions', 'embeddings'],
} as const satisfies ProviderDescriptor
