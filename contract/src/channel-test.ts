/** Endpoints that a test of a channel can use. */
export const TEST_ENDPOINTS = [
  'chat',
  'responses',
  'completions',
  'embeddings',
  'moderations',
  'rerank',
  'ocr',
  'images',
  'speech',
  'transcriptions',
] as const

export type TestEndpoint = (typeof TEST_ENDPOINTS)[number]

/** `untestable`: no endpoint can test the channel's models. Empty before the first test. */
export const TEST_OUTCOMES = ['', 'passed', 'failed', 'untestable'] as const

export type TestOutcome = (typeof TEST_OUTCOMES)[number]

/** `code` of a failed test whose key the provider refused. */
export const KEY_REFUSED = 'key_refused'
