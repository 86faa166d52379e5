import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const minimax = {
  ...ownApi,
  type: 27,
  name: { en: 'MiniMax', zh: 'MiniMax' },
  color: 'red',
  baseUrl: 'https://api.minimax.chat',
  dialect: 'minimax',
  models: words(`
    MiniMax-M3.1-Flash MiniMax-M3 MiniMax-M2.7 MiniMax-M2.7-highspeed MiniMax-M2.5
    MiniMax-M2.5-highspeed MiniMax-M2.1 MiniMax-M2.1-highspeed MiniMax-M2 MiniMax-M1
    MiniMax-Text-01 speech-2.8-hd speech-2.8-turbo
  `),
  supports: ['chat', 'embeddings', 'images', 'speech'],
} as const satisfies ProviderDescriptor
