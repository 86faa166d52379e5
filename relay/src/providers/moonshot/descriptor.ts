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
    'kimi-k3',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k2.6',
    'kimi-k2.5',
    'kimi-k2-thinking',
    'kimi-k2-thinking-turbo',
    'kimi-k2-turbo-preview',
    'kimi-k2-0905-preview',
    'kimi-latest',
    'moonshot-v1-auto',
    'moonshot-v1-8k-vision-preview',
    'moonshot-v1-32k-vision-preview',
    'moonshot-v1-128k-vision-preview',
    'moonshot-v1-8k',
    'moonshot-v1-32k',
    'moonshot-v1-128k',
  ],
  balanceUnit: null,
  streamUsage: 'on-request',
  prefill: { member: 'partial', repeatsPrefill: false, excludesJson: true },
  supports: ['chat'],
} as const satisfies ProviderDescriptor
