/** Only Claude refuses reasoning that another vendor has signed. */
export const isClaude = (model: string): boolean => /claude/i.test(model)

/** DeepSeek signs with an UUID, Kimi with nothing, Google with bytes that begin otherwise. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const FOREIGN = /^(?:$|C[\w+/-]{3}|skip_)/

export const isForeignSignature = (signature: string): boolean =>
  FOREIGN.test(signature) || UUID.test(signature)
