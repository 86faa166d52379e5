import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
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
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
