import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi, proxyAddressField } from '../../proxy-address-field.ts'

export const spark = {
  ...ownApi,
  type: 18,
  name: { en: 'iFlytek Spark', zh: '讯飞星火认知' },
  color: 'blue',
  baseUrl: 'wss://spark-api.xf-yun.com',
  dialect: 'spark',
  keyFormat: 'APPID|APISecret|APIKey',
  keyPattern: /^[^|]+\|[^|]+\|[^|]+$/,
  fields: [
    {
      name: 'other',
      label: { en: 'Version', zh: '星火版本' },
      hint: {
        en: 'The version in the service address, for models without a version in their name.',
        zh: '服务地址中的版本号，用于名称中不含版本的模型。',
      },
      placeholder: 'v2.1',
      default: 'v2.1',
    },
    proxyAddressField,
  ],
  models: words(`
    SparkDesk SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.1-128K SparkDesk-v3.5
    SparkDesk-v3.5-32K SparkDesk-v4.0 lite Spark-Lite Spark-Pro Spark-Pro-128K Spark-Max
    Spark-Max-32K Spark-4.0-Ultra
  `),
  supports: ['chat'],
} as const satisfies ProviderDescriptor
