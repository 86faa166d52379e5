import type { ProviderDescriptor } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const moonshot = {
  ...openaiApi,
  type: 25,
  name: { en: 'Moonshot AI', zh: 'Moonshot AI' },
  color: 'black',
  baseUrl: 'https://api.moonshot.cn',
  models: [
    'kimi-k3.1-pro',
    'kimi-k3.1-pro-highspeed',
    'kimi-k3',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k2.6',
  ],
  prefill: { member: 'partial', repeatsPrefill: false, excludesJson: true },
  supports: ['chat'],
} as const satisfies ProviderDescriptor
