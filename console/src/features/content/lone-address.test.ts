import { expect, test } from 'vitest'
import { loneAddress } from './lone-address.ts'

test('only a text that is one https address is shown in a frame', () => {
  expect(loneAddress(' https://about.example/us\n')).toBe('https://about.example/us')
  const texts = [
    '',
    'http://about.example',
    'https://',
    'https://a.example and more',
    'See https://a.example',
    '<p>https://a.example</p>',
    'javascript:alert(1)',
  ]
  expect(texts.filter((text) => loneAddress(text) !== null)).toEqual([])
})
