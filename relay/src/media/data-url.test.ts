import { expect, test } from 'vitest'
import { readDataUrl } from './data-url.ts'

test.each([
  ['data:image/png;base64,iVBO', { mediaType: 'image/png', data: 'iVBO' }],
  ['data:image/jpg;base64,/9j/', { mediaType: 'image/jpeg', data: '/9j/' }],
  ['data:image/jpeg;base64,iVBORw0KGgo=', { mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
  ['data:image/png;base64,/9j/4AAQ', { mediaType: 'image/jpeg', data: '/9j/4AAQ' }],
  ['data:text/plain;charset=utf-8;base64,aA==', { mediaType: 'text/plain', data: 'aA==' }],
  ['DATA:Image/SVG+XML;base64,PA==', { mediaType: 'image/svg+xml', data: 'PA==' }],
  ['data:application/pdf;base64,', { mediaType: 'application/pdf', data: '' }],
  ['data:text/plain,hello', null],
  ['data:;base64,aA==', null],
  ['https://a.example/a.png', null],
  ['', null],
])('%s', (url, read) => {
  expect(readDataUrl(url)).toEqual(read)
})
