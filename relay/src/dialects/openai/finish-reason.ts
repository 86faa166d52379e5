/** Beside OpenAI's own word those of Mistral, DeepSeek, SGLang and servers that say what they were asked for. */
const CUT_OFF = new Set([
  'length',
  'model_length',
  'max_tokens',
  'max_output_tokens',
  'insufficient_system_resource',
  'abort',
])

/** Whether an answer ended before its end. */
export const isCutOff = (finishReason: unknown): boolean =>
  typeof finishReason === 'string' && CUT_OFF.has(finishReason)
