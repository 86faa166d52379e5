import { openaiModels } from '../../openai-models.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { ownAddressField } from '../../proxy-address-field.ts'

/** Any address that offers the Responses API, and is asked for nothing else. */
export const openaiResponses = {
  type: 1002,
  name: { en: 'Generic: OpenAI Responses', zh: '通用：OpenAI Responses' },
  color: 'teal',
  baseUrl: '',
  dialect: 'responses',
  fields: [ownAddressField],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'always',
  supports: ['chat'],
} as const satisfies ProviderDescriptor
