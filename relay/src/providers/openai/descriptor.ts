import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const openai = {
  ...openaiApi,
  type: 1,
  name: { en: 'OpenAI', zh: 'OpenAI' },
  color: 'green',
  baseUrl: 'https://api.openai.com',
  models: openaiModels,
  balanceUnit: 'usd',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
