import { afterEach, expect, test, vi } from 'vitest'
import { downloadText, fileNameOf } from './download.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a file stays readable after the click, for browsers that read it later', () => {
  vi.useFakeTimers()
  const files = new Set<string>()
  vi.stubGlobal('URL', {
    createObjectURL: () => {
      files.add('blob:1')
      return 'blob:1'
    },
    revokeObjectURL: (url: string) => files.delete(url),
  })
  vi.stubGlobal('document', { createElement: () => ({ click: () => {} }) })
  downloadText('a.csv', 'a')
  expect(files).toEqual(new Set(['blob:1']))
  vi.runAllTimers()
  expect(files).toEqual(new Set())
})

test('a file has a name that every file system accepts', () => {
  expect(fileNameOf('春节 2026', 'txt')).toBe('春节 2026.txt')
  expect(fileNameOf(' a/b\\c:"d" ', 'csv')).toBe('a-b-c--d-.csv')
})
