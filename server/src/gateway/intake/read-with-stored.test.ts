import { expect, test } from 'vitest'
import type { StoredEntry } from '@tollgate/relay'
import { readWithStored } from './read-with-stored.ts'

type Args = Parameters<typeof readWithStored<string>>

/** A store whose entries leave the memory before they are read. */
function setUp(stored: Readonly<Record<string, string>>, { refers = true } = {}) {
  const loaded = new Map<string, Buffer>()
  const missing = new Set<string>()
  const find = (name: string) => {
    const content = loaded.get(name)?.toString()
    if (content === undefined) missing.add(name)
    return content
  }
  const dialect = {
    missing: () => [...missing],
    receive: (entries: readonly StoredEntry[]) => {
      for (const { name, content } of entries) loaded.set(name, content)
    },
  }
  let loads = 0
  const load = (_: number, names: readonly string[]) => {
    loads += 1
    const found = names.filter((name) => name in stored)
    return Promise.resolve(
      found.map((name) => ({ name, content: Buffer.from(stored[name] ?? '') })),
    )
  }
  const read = function* () {
    missing.clear()
    yield
    if (!refers) return 'whole'
    const next = find('response 1')
    return next === undefined ? 'not found' : (find(next) ?? 'not found')
  }
  // Safe because nothing else of them is used.
  const [deps, arrival] = [{ storedItems: { load } }, { client: { dialect } }] as unknown as [
    Args[0],
    Args[1],
  ]
  // Safe because only the id is used.
  const caller = { user: { id: 1 } } as Args[2]['caller']
  const result = () => readWithStored(deps, arrival, { caller, read, body: Buffer.from('{}') })
  return { result, loads: () => loads }
}

test('what was read for a request is found, though the memory has lost it', async () => {
  const { result, loads } = setUp({ 'response 1': 'item 1', 'item 1': 'yes' })
  expect(await result()).toBe('yes')
  expect(loads()).toBe(2)
})

test('what is stored nowhere is looked for once', async () => {
  const { result, loads } = setUp({})
  expect(await result()).toBe('not found')
  expect(loads()).toBe(1)
})

test('a request that refers to nothing is read at once', () => {
  const { result, loads } = setUp({}, { refers: false })
  expect(result()).toBe('whole')
  expect(loads()).toBe(0)
})
