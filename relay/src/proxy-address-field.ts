import type { ChannelField } from './provider.ts'

/** The base URL field of types with a default address; its value replaces the default. */
export const proxyAddressField = {
  name: 'base_url',
  label: { en: 'Base URL', zh: '接口地址（Base URL）' },
  hint: {
    en: 'Optional. Requests go to this address instead of the default one.',
    zh: '选填。填写后，请求将发往此地址，而不是默认地址。',
  },
  placeholder: 'https://',
} as const satisfies ChannelField
