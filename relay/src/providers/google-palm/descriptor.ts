import type { ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const googlePalm = {
  type: 11,
  name: { en: 'Google PaLM2', zh: 'Google PaLM2' },
  color: 'orange',
  baseUrl: 'https://generativelanguage.googleapis.com',
  dialect: 'palm',
  fields: [proxyAddressField],
  models: ['PaLM-2'],
  balanceUnit: null,
  streamUsage: 'always',
  mayOmitUsage: ['chat'],
  ignoresOutputLimit: true,
  supports: ['chat'],
} as const satisfies ProviderDescriptor
