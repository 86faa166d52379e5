import { openaiModels } from '../../openai-models.ts'
import type { ProviderDescriptor } from '../../provider.ts'

/** Any address that offers the Responses API, and is asked for nothing else. */
export const openaiResponses = {
  type: 34,
  name: { en: 'OpenAI Responses (custom)', zh: 'OpenAI Responses（自定义）' },
  color: 'teal',
  baseUrl: '',
  dialect: 'responses',
  fields: [
    {
      name: 'base_url',
      label: { en: 'Base URL', zh: 'Base URL' },
      hint: {
        en: 'Where requests go. The path /v1/responses is appended.',
        zh: '请求发往的地址，会在其后追加 /v1/responses。',
      },
      placeholder: 'https://api.example.com',
      required: true,
    },
  ],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'always',
  supports: ['chat'],
} as const satisfies ProviderDescriptor
