import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const anthropic = {
  ...ownApi,
  type: 14,
  name: { en: 'Anthropic Claude', zh: 'Anthropic Claude' },
  color: 'black',
  baseUrl: 'https://api.anthropic.com',
  dialect: 'anthropic',
  models: words(`
    claude-fable-5-2 claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-mythos-5-2
    claude-fable-5-1 claude-mythos-5-1 claude-opus-5 claude-fable-5 claude-mythos-5
    claude-sonnet-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-opus-4-5
    claude-opus-4-5-20251101 claude-sonnet-4-6 claude-sonnet-4-5 claude-sonnet-4-5-20250929
    claude-haiku-4-5 claude-haiku-4-5-20251001
  `),
  supports: ['chat'],
} as const satisfies ProviderDescriptor
