import type { ProviderDescriptor } from '../../provider.ts'
import { proxyAddressField } from '../../proxy-address-field.ts'

export const moonshot = {
  type: 25,
  name: { en: 'Moonshot AI', zh: 'Moonshot AI' },
  color: 'black',
  baseUrl: 'https://api.moonshot.cn',
  dialect: 'openai',
  fields: [proxyAddressField],
  models: [
    'kimi-k3.1-pro',
    'kimi-k3.1-pro-highspeed',
    'kimi-k3',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k2.6',
  ],
  balanceUnit: null,
  streamUsage: 'on-request',
  prefill: { member: 'partial', repeatsPrefill: false, excludesJson: true },
  supports: ['chat'],
} as const satisfies ProviderDescriptor
