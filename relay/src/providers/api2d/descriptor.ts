import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const api2d = {
  type: 2,
  name: { en: 'Proxy: API2D', zh: '代理：API2D' },
  color: 'blue',
  baseUrl: 'https://oa.api2d.net',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
