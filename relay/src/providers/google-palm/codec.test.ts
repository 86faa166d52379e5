import { expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { palmCodec } from './codec.ts'

test('an answer of any size is not buffered', () => {
  const call = callTo({ key: 'AIza-x', model: 'PaLM-2' }, { stream: true })
  const decoder = palmCodec.answers.decoder(call)
  for (let piece = 0; piece < 3; piece += 1) decoder.push(Buffer.alloc(600_000))
  const message = expect.stringContaining('is too large')
  expect(decoder.end()).toMatchObject([{ type: 'error', body: { error: { message } } }])
})
