import { expect, it } from 'vitest'
import { HeadWriter } from './head-writer.ts'
import { writeRequestHead } from './request-head.ts'

it.each([
  ['a line break in a header', { headers: { 'x-a': 'a\r\nx-b: c' } }],
  ['a letter beyond Latin-1', { headers: { 'x-a': '钥' } }],
  ['a zero byte', { headers: { 'x-a': '\0' } }],
  ['a line break in a name', { headers: { 'a\r\nb': 'c' } }],
  ['a space in the address', { target: '/a b' }],
  ['a line break in the address', { target: '/a\r\nx: y' }],
  ['an address elsewhere', { target: 'http://elsewhere/' }],
])('%s is not sent', (_name, part) => {
  const head = { method: 'GET', target: '/', host: 'x', headers: {}, length: null } as const
  expect(() => writeRequestHead(new HeadWriter(), { ...head, ...part })).toThrow(TypeError)
})
