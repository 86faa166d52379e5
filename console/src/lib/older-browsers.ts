/**
 * What browsers of early 2023 lack: Chrome 109, the last for Windows 7, Firefox 115 and
 * Safari 16.4. The build lowers the syntax to them, but adds no functions.
 */
function add(owner: object, name: string, value: unknown) {
  if (name in owner) return
  Object.defineProperty(owner, name, { value, configurable: true, writable: true })
}

add(Array.prototype, 'toReversed', function toReversed(this: unknown[]) {
  return [...this].reverse()
})

type Compare = (a: unknown, b: unknown) => number

add(Array.prototype, 'toSorted', function toSorted(this: unknown[], compare?: Compare) {
  return [...this].sort(compare)
})

type Splice = [start: number, count: number, ...added: unknown[]]

add(Array.prototype, 'toSpliced', function toSpliced(this: unknown[], ...splice: Splice) {
  const copy = [...this]
  copy.splice(...splice)
  return copy
})

add(Array.prototype, 'with', function replaced(this: unknown[], index: number, value: unknown) {
  const copy = [...this]
  copy[index < 0 ? this.length + index : index] = value
  return copy
})

add(Map, 'groupBy', (rows: Iterable<unknown>, keyOf: (row: unknown, index: number) => unknown) => {
  const groups = new Map<unknown, unknown[]>()
  let index = 0
  for (const row of rows) {
    const key = keyOf(row, index)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
    index += 1
  }
  return groups
})

add(Promise, 'withResolvers', () => {
  const parts: { resolve?: (value: unknown) => void; reject?: (reason: unknown) => void } = {}
  const promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return { promise, ...parts }
})

type Address = ConstructorParameters<typeof URL>

function parseAddress(...address: Address): URL | null {
  try {
    return new URL(...address)
  } catch {
    return null
  }
}

add(URL, 'parse', parseAddress)

add(URL, 'canParse', (...address: Address) => parseAddress(...address) !== null)

add(AbortSignal, 'any', (signals: readonly AbortSignal[]) => {
  const first = new AbortController()
  for (const signal of signals) {
    const abort = () => first.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { signal: first.signal })
  }
  return first.signal
})
