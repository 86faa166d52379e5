/** Models that reject max_tokens. */
export const isReasoningModel = (model: string) => /^o\d|^gpt-(?!35)(?:[5-9]|\d\d)/.test(model)
