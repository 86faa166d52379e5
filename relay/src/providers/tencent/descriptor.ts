import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const tencent = {
  ...ownApi,
  type: 23,
  name: { en: 'Tencent Hunyuan', zh: '腾讯混元' },
  color: 'teal',
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  dialect: 'tencent',
  keyFormat: 'AppId|SecretId|SecretKey',
  // A key of the API in OpenAI's format has one part. The first of three parts is not sent.
  keyPattern: /^(?:[^|]+|[^|]*\|[^|]+\|[^|]+)$/,
  models: words(`
    hunyuan-t1-latest hunyuan-turbos-latest hunyuan-standard hunyuan-turbo-latest hunyuan-large
    hunyuan-large-longcontext hunyuan-turbos-longtext-128k-20250325 hunyuan-standard-256K
    hunyuan-lite hunyuan-vision-1.5-instruct hunyuan-t1-vision-20250916
    hunyuan-turbos-vision-20250619 hunyuan-turbo-vision hunyuan-embedding hunyuan-pro
    hunyuan-vision
  `),
  ignoresOutputLimit: true,
  supports: ['chat', 'embeddings'],
} as const satisfies ProviderDescriptor
