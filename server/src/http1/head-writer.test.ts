import { expect, it } from 'vitest'
import { HeadWriter } from './head-writer.ts'

it('joins short and long text with a body, and forgets the text before', () => {
  const writer = new HeadWriter()
  const long = `${'x'.repeat(5000)}é`
  writer.add('before')
  writer.begin()
  writer.add('é ')
  writer.add(long)
  const joined = writer.join(Buffer.from('body'), '\r\n')
  expect(joined.toString('latin1')).toBe(`é ${long}body\r\n`)
  writer.begin()
  writer.add('next')
  expect(joined.toString('latin1')).toBe(`é ${long}body\r\n`)
  expect(writer.join().toString()).toBe('next')
})

it('refuses a value that is no text, and stays usable', () => {
  const writer = new HeadWriter()
  writer.add('a')
  for (const value of [5, undefined, ['x']]) {
    expect(() => Reflect.apply(writer.add, writer, [value])).toThrow(/^a head takes text, but got/)
  }
  writer.add('b')
  expect(writer.join().toString()).toBe('ab')
})
