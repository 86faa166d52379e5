import { expect, test } from 'vitest'
import { partsOf, startOf } from './file-parts.ts'

test('a file is cut between characters, and its last part is marked', async () => {
  const text = '时间,模型\n2026-11-20,gpt-6\n'
  for (const bytes of [1, 4, 5, 1000]) {
    const parts = []
    for await (const part of partsOf(new Blob([text]), bytes)) parts.push(part)
    expect(parts.map((part) => part.text).join('')).toBe(text)
    expect(parts.map(({ last }) => last).indexOf(true)).toBe(parts.length - 1)
    expect(parts.at(-1)?.share).toBe(1)
  }
  const empty = await partsOf(new Blob([])).next()
  expect(empty.value).toEqual({ text: '', last: true, share: 1 })
})

test('a preview ends with a complete line', async () => {
  const line = `${'x'.repeat(999)}\n`
  expect(await startOf(new Blob([line]))).toBe(line)
  expect(await startOf(new Blob([line.repeat(100)]))).toBe(line.repeat(32))
})
