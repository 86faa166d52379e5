import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'

export const custom = {
  type: 8,
  name: { en: 'Custom channel', zh: '自定义渠道' },
  color: 'pink',
  baseUrl: '',
  dialect: 'openai',
  takesWholeAddress: true,
  fields: [
    {
      name: 'base_url',
      label: { en: 'Base URL', zh: 'Base URL' },
      hint: {
        en: 'Where requests go. The request path is appended, unless this is the full address of a task or contains {model}.',
        zh: '请求发往的地址。除非填写的是完整的接口地址或包含 {model}，否则会在其后追加请求路径。',
      },
      placeholder: 'https://api.example.com',
      required: true,
    },
  ],
  models: openaiModels,
  balanceUnit: 'usd',
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor
