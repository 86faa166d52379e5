import { openaiModels } from '../../openai-models.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const fastgpt = {
  ...ownApi,
  type: 22,
  name: { en: 'Knowledge base: FastGPT', zh: '知识库：FastGPT' },
  color: 'blue',
  baseUrl: 'https://fastgpt.run/api/openapi',
  dialect: 'openai',
  keyFormat: 'APIKey-AppId',
  fields: [
    {
      name: 'base_url',
      label: { en: 'Private deployment address', zh: '私有部署地址' },
      hint: {
        en: 'Optional. The API address of your own FastGPT.',
        zh: '选填。自行部署的 FastGPT 的接口地址。',
      },
      placeholder: 'https://fastgpt.example.com/api',
    },
  ],
  models: openaiModels,
  // Without this field an app may answer with its own types of events.
  setFields: { detail: false },
  mayOmitUsage: ['chat'],
  addsToPrompt: true,
  supports: ['chat'],
} as const satisfies ProviderDescriptor
