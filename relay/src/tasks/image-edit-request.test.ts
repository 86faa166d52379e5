import { expect, test } from 'vitest'
import { formType, type FormPart, writeForm } from './form.ts'
import { readImageEdit } from './image-edit-request.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\nand more', 'latin1')
const WEBP = Buffer.from('RIFF\x04\x00\x00\x00WEBPVP8 ', 'latin1')

const field = (name: string, text: string): FormPart => ({
  name,
  file: null,
  bytes: Buffer.from(text),
})
const file = (name: string, bytes: Buffer, type = ''): FormPart => ({
  name,
  file: { name: 'a.png', type },
  bytes,
})
const inForm = (...parts: FormPart[]) =>
  readImageEdit({ body: writeForm(parts, 'b'), contentType: formType('b') })

test('a form is read like its JSON, with image types from their bytes', () => {
  const asked = inForm(
    file('image[]', PNG, 'application/octet-stream'),
    file('image[]', WEBP, 'image/png'),
    file('image[]', Buffer.from('icon'), 'image/x-icon'),
    field('prompt', '7'),
    field('n', '2'),
    field('seed', 'x'),
    field('watermark', 'false'),
    field('size', '1024x1024'),
  )
  expect(asked).toEqual({
    json: { prompt: '7', n: 2, seed: 'x', watermark: false, size: '1024x1024' },
    images: [
      { type: 'data', mediaType: 'image/png', data: PNG.toString('base64') },
      { type: 'data', mediaType: 'image/webp', data: WEBP.toString('base64') },
      { type: 'data', mediaType: 'image/x-icon', data: Buffer.from('icon').toString('base64') },
    ],
  })
})

test('an empty field of a form counts as absent', () => {
  const { json } = inForm(file('image', PNG), field('prompt', 'a hat'), field('n', ''))
  expect(json).toEqual({ prompt: 'a hat' })
})

test.each([
  ['mask', [file('image', PNG), file('mask', PNG)]],
  ['image', [file('image', Buffer.from('text'), 'text/plain')]],
])('a form that providers without edits cannot serve is refused for its %s', (param, parts) => {
  expect(() => inForm(...parts)).toThrow(
    expect.objectContaining({ name: 'UnsupportedParameterError', param }),
  )
})
