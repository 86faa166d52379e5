/** Only Claude refuses reasoning that another vendor has signed. */
export const isClaude = (model: string): boolean => /claude/i.test(model)

/** DeepSeek signs with an UUID, Kimi with nothing, OpenAI and Google with bytes of their own. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const FOREIGN = /^(?:$|C[\w+/-]{3}|gAAAA|skip_)/

export const isForeignSignature = (signature: string): boolean =>
  FOREIGN.test(signature) || UUID.test(signature)
