import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const openaiMax = {
  type: 6,
  name: { en: 'Proxy: OpenAI Max', zh: '代理：OpenAI Max' },
  color: 'violet',
  baseUrl: 'https://api.openaimax.com',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
