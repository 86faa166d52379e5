import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const aiProxy = {
  type: 10,
  name: { en: 'Proxy: AI Proxy', zh: '代理：AI Proxy' },
  color: 'purple',
  baseUrl: 'https://api.aiproxy.io',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: 'number',
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
