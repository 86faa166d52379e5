import { type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const qihoo360 = {
  ...openaiApi,
  type: 19,
  name: { en: '360 Zhinao', zh: '360 智脑' },
  color: 'blue',
  baseUrl: 'https://ai.360.cn',
  models: words(`
    360gpt-turbo 360gpt-turbo-responsibility-8k 360zhinao2-o1 360gpt2-o1 360gpt2-pro 360gpt-pro
    360GPT_S2_V9 embedding_s1_v1 embedding-bert-512-v1 semantic_similarity_s1_v1
  `),
  streamUsage: 'always',
  supports: ['chat', 'embeddings'],
} as const satisfies ProviderDescriptor
