import { type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

export const mistral = {
  ...openaiApi,
  type: 28,
  name: { en: 'Mistral AI', zh: 'Mistral AI' },
  color: 'orange',
  baseUrl: 'https://api.mistral.ai',
  models: words(`
    mistral-medium-3.5 mistral-large-4 mistral-small-2603 mistral-medium-2604 mistral-large-2512
    mistral-medium-2508 mistral-medium-2505 mistral-small-2506 mistral-large-latest
    mistral-medium-latest mistral-small-latest ministral-14b-latest ministral-8b-latest
    ministral-3b-latest ministral-14b-2512 ministral-8b-2512 ministral-3b-2512
    magistral-medium-2509 magistral-medium-latest magistral-small-2509 magistral-small-latest
    codestral-latest codestral-2508 devstral-latest devstral-2512 pixtral-12b open-mistral-nemo
    mistral-embed codestral-embed mistral-ocr-latest mistral-ocr-4-1 voxtral-mini-tts-3
    voxtral-mini-tts-2603 voxtral-small-transcribe-3 voxtral-mini-transcribe-3 voxtral-mini-latest
  `),
  // Mistral's request schema forbids unknown members.
  dropFields: words(`
    logit_bias logprobs top_logprobs user stream_options store service_tier metadata verbosity
    safety_identifier
  `),
  renameFields: {
    seed: 'random_seed',
    max_completion_tokens: 'max_tokens',
    // garrytan/gbrain#3001
    dimensions: 'output_dimension',
  },
  requiresShortCallIds: true,
  streamUsage: 'always',
  jsonTranscriptsOnly: true,
  prefill: { member: 'prefix', repeatsPrefill: true },
  supports: ['chat', 'embeddings', 'transcriptions', 'speech', 'ocr'],
} as const satisfies ProviderDescriptor
