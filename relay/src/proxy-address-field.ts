import type { ChannelField } from './provider.ts'

/** The field of every type that has a default address: what is typed here replaces it. */
export const proxyAddressField = {
  name: 'base_url',
  label: { en: 'Proxy address', zh: '代理地址' },
  hint: {
    en: 'Optional. Requests go to this address instead of the default one.',
    zh: '选填。填写后，请求将发往此地址，而不是默认地址。',
  },
  placeholder: 'https://',
} as const satisfies ChannelField
