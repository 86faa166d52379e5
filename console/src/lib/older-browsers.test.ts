import { expect, test, vi } from 'vitest'

const ADDED = [
  [Array.prototype, 'toReversed'],
  [Array.prototype, 'toSorted'],
  [Array.prototype, 'toSpliced'],
  [Array.prototype, 'with'],
  [Map, 'groupBy'],
  [Promise, 'withResolvers'],
  [URL, 'canParse'],
  [URL, 'parse'],
  [AbortSignal, 'any'],
] as const

/** What the code gives with the browser's functions, and with ours. */
async function withBoth<Result>(run: () => Result | Promise<Result>): Promise<[Result, Result]> {
  const own = await run()
  const natives = ADDED.map(
    ([owner, name]) => [owner, name, Object.getOwnPropertyDescriptor(owner, name)] as const,
  )
  try {
    for (const [owner, name] of ADDED) Reflect.deleteProperty(owner, name)
    vi.resetModules()
    await import('./older-browsers.ts')
    return [own, await run()]
  } finally {
    for (const [owner, name, native] of natives) {
      if (native) Object.defineProperty(owner, name, native)
    }
  }
}

const LIST = [3, 1, 2]

test.each<[string, () => unknown]>([
  ['toReversed', () => LIST.toReversed()],
  ['toSorted', () => LIST.toSorted((a, b) => b - a)],
  ['toSpliced', () => [LIST.toSpliced(1, 1), LIST.toSpliced(1, 0, 7, 8)]],
  ['with', () => [LIST.with(1, 9), LIST.with(-1, 9)]],
  ['groupBy', () => [...Map.groupBy(LIST, (row, index) => (row + index) % 2)]],
  ['canParse', () => ['https://a.example', 'a b', ''].map((text) => URL.canParse(text))],
  ['parse', () => ['https://a.example/b', 'a b'].map((text) => URL.parse(text)?.href)],
  ['canParse with a base', () => URL.canParse('/a', 'https://a.example')],
])('%s works like the function of newer browsers', async (_name, run) => {
  const [native, ours] = await withBoth(run)
  expect(ours).toEqual(native)
  expect(LIST).toEqual([3, 1, 2])
})

test('a promise is resolved and rejected from outside', async () => {
  const [native, ours] = await withBoth(async () => {
    const kept = Promise.withResolvers<number>()
    const lost = Promise.withResolvers<number>()
    kept.resolve(1)
    lost.reject(new Error('gone'))
    return Promise.allSettled([kept.promise, lost.promise])
  })
  expect(ours).toEqual(native)
})

test('a signal follows the first of several', async () => {
  const [native, ours] = await withBoth(() => {
    const [early, late] = [new AbortController(), new AbortController()]
    const signal = AbortSignal.any([early.signal, late.signal])
    const before = signal.aborted
    late.abort('late')
    early.abort('early')
    const known = AbortSignal.any([early.signal])
    return [before, signal.aborted, signal.reason, known.aborted, known.reason]
  })
  expect(ours).toEqual(native)
})
