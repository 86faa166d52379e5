import { type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const baichuan = {
  ...openaiApi,
  type: 26,
  name: { en: 'Baichuan', zh: '百川大模型' },
  color: 'orange',
  baseUrl: 'https://api.baichuan-ai.com',
  models: words(`
    Baichuan-M2 Baichuan-M3 Baichuan4 Baichuan4-Turbo Baichuan4-Air Baichuan3-Turbo
    Baichuan3-Turbo-128k Baichuan2-Turbo Baichuan2-Turbo-192k Baichuan-Text-Embedding
  `),
  streamUsage: 'always',
  supports: ['chat', 'embeddings'],
} as const satisfies ProviderDescriptor
