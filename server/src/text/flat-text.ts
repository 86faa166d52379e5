/**
 * Joins the parts into one flat string. V8 keeps a concatenation as a tree of its parts, which
 * JSON.stringify writes at half the speed.
 */
export const flatText = (...parts: readonly (string | number)[]): string => parts.join('')
