/** Values of OpenAI, Mistral, DeepSeek, SGLang and servers that name the requested limit. */
const CUT_OFF = new Set([
  'length',
  'model_length',
  'max_tokens',
  'max_output_tokens',
  'insufficient_system_resource',
  'abort',
])

export const isCutOff = (finishReason: unknown): boolean =>
  typeof finishReason === 'string' && CUT_OFF.has(finishReason)
