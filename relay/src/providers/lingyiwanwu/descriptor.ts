import { type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const lingyiwanwu = {
  ...openaiApi,
  type: 31,
  name: { en: '01.AI', zh: '零一万物' },
  color: 'green',
  baseUrl: 'https://api.lingyiwanwu.com',
  models: words(`
    yi-lightning yi-lightning-lite yi-large yi-medium yi-medium-200k yi-large-turbo yi-large-rag
    yi-large-fc yi-vision yi-vision-v2 yi-spark yi-34b-chat-0205 yi-34b-chat-200k yi-vl-plus
  `),
  streamUsage: 'always',
  supports: ['chat'],
} as const satisfies ProviderDescriptor
