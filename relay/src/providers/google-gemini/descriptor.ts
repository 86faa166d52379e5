import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const googleGemini = {
  ...ownApi,
  type: 24,
  name: { en: 'Google Gemini', zh: 'Google Gemini' },
  color: 'orange',
  baseUrl: 'https://generativelanguage.googleapis.com',
  dialect: 'gemini',
  models: words(`
    gemini-4-neon gemini-4-argon gemini-4-hydrogen gemini-3.8-flash gemini-3.7-flash
    gemini-3.6-flash gemini-3.5-flash gemini-3.5-flash-lite gemini-3.1-pro-preview
    gemini-3.1-flash-lite gemini-3-flash-preview gemini-2.5-pro gemini-2.5-flash
    gemini-2.5-flash-lite gemini-pro-latest gemini-flash-latest gemini-flash-lite-latest
    gemini-nano-banana-2.1 gemini-3-pro-image gemini-3.1-flash-image gemini-2.5-flash-image
    imagen-4.0-generate-001 gemini-3.8-flash-tts gemini-3.8-flash-lite-tts gemini-embedding-2
    gemini-embedding-001
  `),
  mayOmitUsage: ['embeddings'],
  supports: ['chat', 'embeddings', 'images', 'imageEdits', 'speech'],
} as const satisfies ProviderDescriptor
