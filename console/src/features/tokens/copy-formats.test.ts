import { expect, test } from 'vitest'
import { copyFormats } from './copy-formats.ts'

const place = {
  serverAddress: 'https://api.example.com',
  chatLink: '',
  model: { id: 'gpt-4o', api: 'chat' as const },
}
const textOf = (id: string, chatLink = '') =>
  copyFormats('abc', { ...place, chatLink }).find((format) => format.id === id)?.text

test('writes the links in the forms chat clients understand', () => {
  const server = 'https%3A%2F%2Fapi.example.com'
  expect(textOf('key')).toBe('sk-abc')
  expect(textOf('ama')).toBe(`ama://set-api-key?server=${server}&key=sk-abc`)
  expect(textOf('opencat')).toBe(`opencat://team/join?domain=${server}&token=sk-abc`)
  expect(textOf('chat', 'https://chat.example.com')).toBe(
    'https://chat.example.com/#/?settings={"key":"sk-abc","url":"https://api.example.com"}',
  )
})

test('offers no chat link when the operator has set none', () => {
  expect(textOf('chat')).toBeUndefined()
})

test('the curl command carries the key and asks for a model the token may use', () => {
  const [, curl] = copyFormats('abc', { ...place, model: { id: 'claude-x', api: 'chat' } })
  expect(curl?.text).toContain('Authorization: Bearer sk-abc')
  expect(curl?.text).toContain('"model":"claude-x"')
})
