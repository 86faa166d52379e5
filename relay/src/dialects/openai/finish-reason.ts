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

/**
 * The reason of a choice after another event. Some providers send `stop` with every event, others
 * once more with the usage; it replaces no other reason.
 */
export function laterReason(known: string | null, given: unknown): string | null {
  if (typeof given !== 'string' || given === '') return known
  return known !== null && given === 'stop' ? known : given
}
