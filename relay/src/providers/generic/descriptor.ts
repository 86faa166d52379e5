import { openaiModels } from '../../openai-models.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { ownAddressField } from '../../proxy-address-field.ts'
import { anthropic } from '../anthropic/descriptor.ts'

/*
 * Types for servers that have no type of their own. Their numbers are clear of those that One API
 * and its forks use.
 */

export const genericChat = {
  type: 1001,
  name: { en: 'Generic: OpenAI Chat Completions', zh: '通用：OpenAI Chat Completions' },
  color: 'teal',
  baseUrl: '',
  dialect: 'openai',
  takesWholeAddress: true,
  fields: [ownAddressField],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'on-request',
  supports: ['chat', 'completions', 'embeddings', 'rerank'],
} as const satisfies ProviderDescriptor

export const genericResponses = {
  type: 1002,
  name: { en: 'Generic: OpenAI Responses', zh: '通用：OpenAI Responses' },
  color: 'teal',
  baseUrl: '',
  dialect: 'responses',
  fields: [ownAddressField],
  models: openaiModels,
  balanceUnit: null,
  streamUsage: 'always',
  supports: ['chat'],
} as const satisfies ProviderDescriptor

export const genericMessages = {
  type: 1003,
  name: { en: 'Generic: Anthropic Messages', zh: '通用：Anthropic Messages' },
  color: 'teal',
  baseUrl: '',
  dialect: 'anthropic',
  fields: [ownAddressField],
  models: anthropic.models,
  balanceUnit: null,
  streamUsage: 'always',
  supports: ['chat'],
} as const satisfies ProviderDescriptor
