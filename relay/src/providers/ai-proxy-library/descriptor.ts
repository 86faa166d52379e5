import { openaiModels } from '../../openai-models.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const aiProxyLibrary = {
  ...ownApi,
  type: 21,
  name: { en: 'Knowledge base: AI Proxy', zh: '知识库：AI Proxy' },
  color: 'purple',
  baseUrl: 'https://api.aiproxy.io',
  dialect: 'ai-proxy-library',
  fields: [
    {
      name: 'other',
      label: { en: 'Knowledge base ID', zh: '知识库 ID' },
      hint: { en: 'The number of the knowledge base that answers.', zh: '用于回答的知识库编号。' },
      placeholder: '123456',
      required: true,
    },
  ],
  models: openaiModels,
  ignoresOutputLimit: true,
  addsToPrompt: true,
  mayOmitUsage: ['chat'],
  supports: ['chat'],
} as const satisfies ProviderDescriptor
