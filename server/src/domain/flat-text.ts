/**
 * The parts, one behind the other, as one flat text. A sum of texts is kept by V8 as a tree of its parts, of which JSON is
 * written at half the speed.
 */
export const flatText = (...parts: readonly (string | number)[]): string => parts.join('')
