import { expect, test } from 'vitest'
import { fileNameOf } from './download.ts'

test('a file has a name that every file system accepts', () => {
  expect(fileNameOf('春节 2026', 'txt')).toBe('春节 2026.txt')
  expect(fileNameOf(' a/b\\c:"d" ', 'csv')).toBe('a-b-c--d-.csv')
})
