import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const ali = {
  ...ownApi,
  type: 17,
  name: { en: 'Alibaba Tongyi Qianwen', zh: '阿里通义千问' },
  color: 'orange',
  baseUrl: 'https://dashscope.aliyuncs.com',
  dialect: 'ali',
  fields: [
    {
      name: 'other',
      label: { en: 'Plugin parameter', zh: '插件参数' },
      hint: {
        en: 'Optional. JSON sent as X-DashScope-Plugin with each request.',
        zh: '选填。随每个请求以 X-DashScope-Plugin 发送的 JSON。',
      },
      placeholder: '{"ocr":{}}',
    },
  ],
  models: words(`
    qwen3.8-max qwen3.8-flash qwen3.8-omni-flash qwen3.8-27b qwen3.7-max qwen3.7-plus
    qwen3.7-flash qwen3.6-plus qwen3.6-flash qwen3.6-27b qwen3.5-plus qwen3.5-flash qwen3-max
    qwen3-coder-plus qwen3-coder-flash qwen-max qwen-plus qwen-plus-latest qwen-flash qwen-turbo
    qwen-turbo-latest qwen-long qwen3-vl-plus qwen3-vl-flash qwen-vl-max qwen-vl-plus qwen-vl-ocr
    qwq-plus qvq-max qwen-mt-plus qwen-mt-flash qwen-mt-turbo text-embedding-v4 text-embedding-v3
    text-embedding-v2 text-embedding-v1 qwen3-rerank gte-rerank-v2 qwen-image wanx-v1
  `),
  supports: ['chat', 'embeddings', 'images', 'imageEdits', 'rerank'],
} as const satisfies ProviderDescriptor
