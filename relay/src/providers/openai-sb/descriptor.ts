import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const openaiSb = {
  type: 5,
  name: { en: 'Proxy: OpenAI-SB', zh: '代理：OpenAI-SB' },
  color: 'brown',
  baseUrl: 'https://api.openai-sb.com',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: 'cny/10000',
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
