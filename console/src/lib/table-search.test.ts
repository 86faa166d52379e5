import { expect, test } from 'vitest'
import { nextSort, oneOf, pageOf, parseTableSearch, withTableSearch } from './table-search.ts'

const parse = (text: string) => parseTableSearch(new URLSearchParams(text))
const change = (text: string, part: Parameters<typeof withTableSearch>[1]) =>
  withTableSearch(new URLSearchParams(text), part).toString()

test('uses the defaults for invalid values', () => {
  const defaults = { p: 0, size: 50, sort: null, order: 'desc', keyword: '', hidden: null }
  expect(parse('')).toEqual(defaults)
  expect(parse('p=-1&size=7&order=up&keyword=%20')).toEqual(defaults)
  expect(parse('p=1e99')).toEqual(defaults)
})

test('the address returns the values it was made of, and leaves defaults out', () => {
  const state = { p: 3, size: 20, sort: 'name', order: 'asc' as const, keyword: 'a b' }
  const text = change('type=2', { ...state, hidden: ['id'] })
  expect(parse(text)).toEqual({ ...state, hidden: ['id'] })
  expect(text).toContain('type=2')
  expect(change(text, { p: 0, size: 50, order: 'desc', keyword: ' ', hidden: null })).toBe(
    'type=2&sort=name',
  )
})

test('a changed search or size goes to the first page, a changed view stays', () => {
  expect(change('p=4', { keyword: 'x' })).toBe('keyword=x')
  expect(change('p=4', { size: 10 })).toBe('size=10')
  expect(change('p=4', { hidden: [] })).toBe('p=4&hide=')
})

test('a second click on a header reverses the order', () => {
  const first = nextSort({ sort: null, order: 'desc' }, 'name')
  expect(first).toEqual({ sort: 'name', order: 'asc' })
  expect(nextSort(first, 'name')).toEqual({ sort: 'name', order: 'desc' })
  expect(nextSort(first, 'id')).toEqual({ sort: 'id', order: 'asc' })
})

test('sorts search results by number or by text and returns the page', () => {
  const rows = [{ n: 10 }, { n: 9 }, { n: 100 }]
  const at = (p: number, order: 'asc' | 'desc') =>
    pageOf(rows, { p, size: 2, sort: 'n', order }, (row) => row.n)
  expect(at(0, 'asc')).toEqual([{ n: 9 }, { n: 10 }])
  expect(at(1, 'asc')).toEqual([{ n: 100 }])
  expect(at(0, 'desc')).toEqual([{ n: 100 }, { n: 10 }])
  expect(rows[0]).toEqual({ n: 10 })
})

test('accepts only the listed values', () => {
  expect(oneOf(['a', 'b'], 'b')).toBe('b')
  expect(oneOf(['a', 'b'], 'c')).toBeUndefined()
  expect(oneOf(['a', 'b'], null)).toBeUndefined()
})
