/**
 * OpenAI's value, and those of Mistral, DeepSeek, SGLang and servers that repeat the requested
 * limit's name.
 */
const CUT_OFF = new Set([
  'length',
  'model_length',
  'max_tokens',
  'max_output_tokens',
  'insufficient_system_resource',
  'abort',
])

/** Whether an answer was cut off. */
export const isCutOff = (finishReason: unknown): boolean =>
  typeof finishReason === 'string' && CUT_OFF.has(finishReason)
