import { openaiModels } from '../../openai-models.ts'
import { type ChannelOffer, OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'

/** Offered by OpenAI or compatible providers, but not by Azure deployments. */
const NOT_DEPLOYED: ReadonlySet<ChannelOffer> = new Set([
  'moderations',
  'imageVariations',
  'rerank',
])

export const azureOpenai = {
  type: 3,
  name: { en: 'Azure OpenAI', zh: 'Azure OpenAI' },
  color: 'olive',
  baseUrl: '',
  dialect: 'azure',
  fields: [
    {
      name: 'base_url',
      label: { en: 'Endpoint', zh: '接口地址' },
      hint: {
        en: 'The address of your Azure OpenAI resource.',
        zh: '你的 Azure OpenAI 资源的地址。',
      },
      placeholder: 'https://my-resource.openai.azure.com',
      required: true,
    },
    {
      name: 'other',
      label: { en: 'API version', zh: 'API 版本' },
      hint: {
        en: 'The api-version sent with each request. With v1, deployment names may contain dots.',
        zh: '随每个请求发送的 api-version。填写 v1 时，部署名称可以含有点号。',
      },
      placeholder: '2023-06-01-preview',
      default: '2023-06-01-preview',
    },
  ],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'on-request',
  supports: OPENAI_ENDPOINTS.filter((endpoint) => !NOT_DEPLOYED.has(endpoint)),
} as const satisfies ProviderDescriptor
