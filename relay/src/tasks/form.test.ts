import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fieldOf,
  type FormPart,
  formType,
  newBoundary,
  readForm,
  withField,
  writeForm,
} from './form.ts'

const LIMITS = { metered: new Set(['model', 'n']), fileBytesMax: 1000 }
const TYPE = formType('x')
const DISPOSITION = 'Content-Disposition: form-data'
const ATTACHED = 'Content-Disposition: attachment'

const text = (name: string, value: string): FormPart => ({
  name,
  file: null,
  bytes: Buffer.from(value),
})

const form = (...lines: string[]) => Buffer.from(lines.join('\r\n'))
const field = (name: string, value: string) => ['--x', `${DISPOSITION}; name="${name}"`, '', value]
const read = (...lines: string[]) => readForm(form(...lines), TYPE, LIMITS)

test('reads what a browser sends', async () => {
  const sent = new FormData()
  sent.append('model', 'dall-e-2')
  sent.append('n', '2')
  const image = new Uint8Array([0, 13, 10, 45, 45])
  sent.append('image[]', new File([image], 'café "a".png', { type: 'image/png' }))
  sent.append('image[]', new File(['b'], 'line\nend.png'))
  const request = new Request('http://localhost', { method: 'POST', body: sent })
  const type = request.headers.get('content-type') ?? ''
  const body = Buffer.from(await request.arrayBuffer())
  expect(readForm(body, type, LIMITS)).toEqual([
    text('model', 'dall-e-2'),
    text('n', '2'),
    {
      name: 'image[]',
      file: { name: 'café "a".png', type: 'image/png' },
      bytes: Buffer.from(image),
    },
    {
      name: 'image[]',
      file: { name: 'line\nend.png', type: 'application/octet-stream' },
      bytes: Buffer.from('b'),
    },
  ])
})

test('every reader reads its output as intended, whatever the content', async () => {
  const name = fc
    .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
    .filter((words) => !/[\r\n\0]|%(?:22|0[AD])|\\/i.test(words))
  const type = fc.constantFrom('image/png', 'audio/mpeg; codecs=x')
  const part = fc.record({
    name,
    file: fc.option(fc.record({ name, type })),
    bytes: fc.string({ maxLength: 200, unit: 'grapheme' }).map((content) => Buffer.from(content)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const boundary = newBoundary()
      const contentType = formType(boundary)
      const body = writeForm(parts, boundary)
      const limits = { metered: new Set<string>(), fileBytesMax: 10_000 }
      expect(readForm(body, contentType, limits)).toEqual(parts)
      const headers = { 'content-type': contentType }
      // oxlint-disable-next-line typescript/no-deprecated -- a second parser to compare with
      const others = await new Response(body, { headers }).formData()
      const seen = await Promise.all(
        [...others].map(async ([field, value]) => {
          if (typeof value === 'string') return text(field, value)
          const bytes = Buffer.from(await value.arrayBuffer())
          return { name: field, file: { name: value.name, type: value.type }, bytes }
        }),
      )
      expect(seen).toEqual(parts)
    }),
  )
})

test('never fails, and reads no further than the end, whatever the input', () => {
  const pieces = fc.constantFrom('--x', '\r\n', '--', 'a', ':', '"', `${DISPOSITION}; name=a`)
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (given) => {
      const body = Buffer.from(given.join(''))
      const parts = readForm(body, TYPE, LIMITS)
      const read = Array.isArray(parts) ? parts : []
      const length = read.reduce((sum, { bytes }) => sum + bytes.length, 0)
      expect(length).toBeLessThanOrEqual(body.length)
    }),
  )
})

describe('accepts the variants of clients', () => {
  test('with lines before the form, spaces behind a boundary, and none at the end', () => {
    const second = ['--x \t', 'content-disposition:form-data;name=a', '', 'b']
    const parts = read('preamble', ...field('n', '1'), ...second, '--x--')
    expect(parts).toEqual([text('n', '1'), text('a', 'b')])
  })

  test.each([
    ['filename="a\\"b.png"', 'a"b.png'],
    ['filename=a.png', 'a.png'],
    ['filename="x"; filename*=UTF-8\'\'caf%C3%A9.png', 'café.png'],
    ['filename="a; name=model.png"', 'a; name=model.png'],
    ['filename=""', ''],
    ['filename="C:\\\\fakepath\\\\a.png\\\\"', 'C:_fakepath_a.png_'],
  ])('%s', (parameter, name) => {
    const parts = read('--x', `${DISPOSITION}; name="file"; ${parameter}`, '', 'b', '--x--')
    expect(parts).toEqual([{ name: 'file', file: { name, type: '' }, bytes: Buffer.from('b') }])
  })

  test('an empty form has no parts', () => {
    expect(read('--x--', '')).toEqual([])
  })

  test('a boundary may be quoted, and followed by other parameters', () => {
    const body = form(...field('n', '1'), '--x--')
    const type = 'Multipart/Form-Data; charset=utf-8; boundary="x"'
    expect(readForm(body, type, LIMITS)).toEqual([text('n', '1')])
  })
})

describe('refuses', () => {
  test.each([
    ['a field twice that decides the price', [...field('n', '1'), ...field('n', '2')], 'n'],
    ['such a field in another spelling', field('N', '1'), 'N'],
    ['such a field as a list', field('n[]', '1'), 'n[]'],
    ['such a field as a list of lists', field('n[0][]', '1'), 'n[0][]'],
    ['such a field with spaces around it', field(' n ', '1'), ' n '],
    ['such a field as a file', ['--x', `${DISPOSITION}; name=n; filename=n`, '', '1'], 'n'],
  ])('%s', (_what, lines, param) => {
    const refusal = { type: 'invalid_request_error', param, code: 'invalid_value' }
    expect(read(...lines, '--x--')).toMatchObject(refusal)
  })

  test.each(['a\\\\', 'a\0'])('the name %j, which may end elsewhere for other readers', (name) => {
    const file = `${DISPOSITION}; name="${name}"; filename="; name=n; x="`
    expect(read('--x', file, '', '10', '--x--')).toMatchObject({
      message: expect.stringContaining('backslash'),
    })
  })

  test('texts and names that are not UTF-8', () => {
    const body = form(...field('\u0001', '\u0002'), '--x--')
    const broken = (byte: number) => {
      const bytes = Buffer.from(body)
      bytes[bytes.indexOf(byte)] = 0xff
      return readForm(bytes, TYPE, LIMITS)
    }
    expect(broken(1)).toMatchObject({ param: null })
    expect(broken(2)).toMatchObject({ param: '\u0001' })
  })

  test.each([
    ['no form', Buffer.from('{}'), 'application/json'],
    ['a form without a boundary', form(...field('n', '1'), '--x--'), 'multipart/form-data'],
    ['another boundary', form(...field('n', '1'), '--x--'), formType('y')],
    ['a form without an end', form(...field('n', '1')), TYPE],
    ['a part without an end of its head', form('--x', DISPOSITION), TYPE],
    ['a part without a name', form('--x', 'Content-Type: a/b', '', 'b', '--x--'), TYPE],
    ['an attachment', form('--x', `${ATTACHED}; name=a`, '', 'b', '--x--'), TYPE],
    ['something behind a boundary', form('--xy', ...field('n', '1'), '--x--'), TYPE],
  ])('%s', (_what, body, type) => {
    const refusal = { type: 'invalid_request_error', param: null }
    expect(readForm(body, type, LIMITS)).toMatchObject(refusal)
  })

  test('content encodings', () => {
    const lines = ['--x', 'Content-Transfer-Encoding: base64', `${DISPOSITION}; name=a`]
    expect(read(...lines, '', 'b', '--x--')).toMatchObject({ param: 'a' })
  })

  test('more parts, names, texts or files than allowed', () => {
    const many = Array.from({ length: 129 }, (_, index) => field(`a${index}`, 'b')).flat()
    expect(read(...many, '--x--')).toMatchObject({ message: expect.stringContaining('128') })
    expect(read(...field('a'.repeat(257), 'b'), '--x--')).toHaveProperty('message')
    expect(read(...field('a'.repeat(9000), 'b'), '--x--')).toHaveProperty('message')
    expect(read(...field('a', 'b'.repeat(256 * 1024 + 1)), '--x--')).toMatchObject({ param: 'a' })
    const head = `${DISPOSITION}; name="f"; filename="f"`
    expect(read('--x', head, '', 'b'.repeat(1001), '--x--')).toMatchObject({ param: 'f' })
    expect(read('--x', head, '', 'b'.repeat(1000), '--x--')).toHaveLength(1)
  })
})

test('a field is found, replaced in its place, or added', () => {
  const parts = [text('model', 'a'), text('n', '1')]
  expect(fieldOf(parts, 'model')).toBe('a')
  expect(fieldOf(parts, 'size')).toBeUndefined()
  expect(withField(parts, 'model', 'b')).toEqual([text('model', 'b'), text('n', '1')])
  expect(withField([], 'model', 'b')).toEqual([text('model', 'b')])
})
