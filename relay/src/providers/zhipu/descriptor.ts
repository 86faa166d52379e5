import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const zhipu = {
  ...ownApi,
  type: 16,
  name: { en: 'Zhipu ChatGLM', zh: '智谱 ChatGLM' },
  color: 'violet',
  baseUrl: 'https://open.bigmodel.cn',
  dialect: 'zhipu',
  keyFormat: 'id.secret',
  models: words(`
    glm-5.3 glm-5.3-flash glm-5.3-flashx glm-5.2 glm-5.1 glm-5 glm-5-turbo glm-5v-turbo glm-4.7
    glm-4.7-flashx glm-4.7-flash glm-4.6 glm-4.5 glm-4.5-air glm-4.5-flash glm-4-plus glm-4-air
    glm-4-airx glm-4-long glm-4-flashx-250414 glm-4-flashx glm-4-flash glm-4v-plus embedding-3
    embedding-2 cogview-3-plus cogview-3-flash rerank
  `),
  jsonTranscriptsOnly: true,
  supports: ['chat', 'embeddings', 'images', 'speech', 'transcriptions', 'rerank'],
} as const satisfies ProviderDescriptor
