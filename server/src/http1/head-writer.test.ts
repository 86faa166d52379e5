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
