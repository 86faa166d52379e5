import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const closeai = {
  type: 4,
  name: { en: 'Proxy: CloseAI', zh: '代理：CloseAI' },
  color: 'teal',
  baseUrl: 'https://api.closeai-proxy.xyz',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: 'cny',
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
