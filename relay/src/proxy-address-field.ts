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

/** The base URL field of types without a default address. */
export const ownAddressField = {
  name: 'base_url',
  label: { en: 'Base URL', zh: 'Base URL' },
  hint: {
    en: 'Where requests go. The request path is appended to it.',
    zh: '请求发往的地址，其后会追加请求路径。',
  },
  placeholder: 'https://api.example.com',
  required: true,
} as const satisfies ChannelField

/** What most providers with OpenAI's API have in common. */
export const openaiApi = {
  dialect: 'openai',
  fields: [proxyAddressField],
  balanceUnit: null,
  streamUsage: 'on-request',
} as const

/** What most providers with an API of their own have in common. */
export const ownApi = {
  fields: [proxyAddressField],
  balanceUnit: null,
  streamUsage: 'always',
} as const

/** Stands in an address for the operator's own account. */
export const ACCOUNT = 'ACCOUNT_ID'

/** Whether the operator has not replaced the account of a preset. */
export const lacksAccount = (address: string) => address.split('/').includes(ACCOUNT)
