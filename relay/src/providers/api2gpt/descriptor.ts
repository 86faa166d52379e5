import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const api2gpt = {
  type: 12,
  name: { en: 'Proxy: API2GPT', zh: '代理：API2GPT' },
  color: 'blue',
  baseUrl: 'https://api.api2gpt.com',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: 'cny',
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
