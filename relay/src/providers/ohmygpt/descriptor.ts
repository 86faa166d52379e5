import { openaiModels } from '../../openai-models.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const ohmygpt = {
  type: 7,
  name: { en: 'Proxy: OhMyGPT', zh: '代理：OhMyGPT' },
  color: 'purple',
  baseUrl: 'https://api.ohmygpt.com',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'on-request',
  supports: ['chat', 'completions', 'embeddings'],
} as const satisfies ProviderDescriptor
