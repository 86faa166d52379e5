const TEXTS_MAX = 1000
/** Model names are shorter. A longer text is specific to one request and not worth keeping. */
const LENGTH_MAX = 200

/** Caches results by text. Requests repeat few names, so the cache is cleared when full. */
export function memoize<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found.value
    const value = compute(text)
    if (text.length > LENGTH_MAX) return value
    if (known.size >= TEXTS_MAX) known.clear()
    known.set(text, { value })
    return value
  }
}

/** Keeps the result for each object as long as the object itself. */
export function memoizeFor<Key extends object, Value extends object>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const value = compute(key)
    known.set(key, value)
    return value
  }
}
