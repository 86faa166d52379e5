import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor } from '../../provider.ts'
import { openaiApi, ownAddressField, ownApi } from '../../proxy-address-field.ts'
import { anthropic } from '../anthropic/descriptor.ts'

export const custom = {
  ...openaiApi,
  type: 8,
  name: { en: 'Custom channel', zh: '自定义渠道' },
  color: 'pink',
  baseUrl: '',
  takesWholeAddress: true,
  fields: [
    {
      ...ownAddressField,
      hint: {
        en: 'Where requests go. The request path is appended, unless this is the full address of a task or contains {model}.',
        zh: '请求发往的地址。除非填写的是完整的接口地址或包含 {model}，否则会在其后追加请求路径。',
      },
    },
  ],
  models: openaiModels,
  balanceUnit: 'usd',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor

/*
 * Types for servers that have no type of their own. Their numbers are clear of those that One API
 * and its forks use.
 */

export const genericChat = {
  ...openaiApi,
  type: 1001,
  name: { en: 'Generic: OpenAI Chat Completions', zh: '通用：OpenAI Chat Completions' },
  color: 'teal',
  baseUrl: '',
  takesWholeAddress: true,
  fields: [ownAddressField],
  models: openaiModels,
  supports: ['chat', 'completions', 'embeddings', 'rerank'],
} as const satisfies ProviderDescriptor

export const genericResponses = {
  ...ownApi,
  type: 1002,
  name: { en: 'Generic: OpenAI Responses', zh: '通用：OpenAI Responses' },
  color: 'teal',
  baseUrl: '',
  dialect: 'responses',
  fields: [ownAddressField],
  models: openaiModels,
  supports: ['chat'],
} as const satisfies ProviderDescriptor

export const genericMessages = {
  ...ownApi,
  type: 1003,
  name: { en: 'Generic: Anthropic Messages', zh: '通用：Anthropic Messages' },
  color: 'teal',
  baseUrl: '',
  dialect: 'anthropic',
  fields: [ownAddressField],
  models: anthropic.models,
  supports: ['chat'],
} as const satisfies ProviderDescriptor
