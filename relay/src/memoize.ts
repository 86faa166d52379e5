const TEXTS_MAX = 1000
/** Names are shorter; a longer text is a request's own, and would be kept for all others. */
const LENGTH_MAX = 200

/** The same function, which knows its answers for the texts it was asked about of late: requests have few names, again and again. */
export function memoize<Value>(answer: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found.value
    const value = answer(text)
    if (text.length > LENGTH_MAX) return value
    if (known.size >= TEXTS_MAX) known.clear()
    known.set(text, { value })
    return value
  }
}
