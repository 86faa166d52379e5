import type { ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const qihoo360 = {
  type: 19,
  name: { en: '360 Zhinao', zh: '360 智脑' },
  color: 'blue',
  baseUrl: 'https://ai.360.cn',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: [
    '360gpt-turbo',
    '360gpt-turbo-responsibility-8k',
    '360zhinao2-o1',
    '360gpt2-o1',
    '360gpt2-pro',
    '360gpt-pro',
    '360GPT_S2_V9',
    'embedding_s1_v1',
    'embedding-bert-512-v1',
    'semantic_similarity_s1_v1',
  ],
  balanceUnit: null,
  streamUsage: 'always',
  supports: ['chat', 'embeddings'],
} as const satisfies ProviderDescriptor
