import type { ProviderDescriptor } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const googlePalm = {
  ...ownApi,
  type: 11,
  name: { en: 'Google PaLM2', zh: 'Google PaLM2' },
  color: 'orange',
  baseUrl: 'https://generativelanguage.googleapis.com',
  dialect: 'palm',
  models: ['PaLM-2'],
  mayOmitUsage: ['chat'],
  ignoresOutputLimit: true,
  supports: ['chat'],
} as const satisfies ProviderDescriptor
