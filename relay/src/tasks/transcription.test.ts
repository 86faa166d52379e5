import { expect, test } from 'vitest'
import { formType, writeForm } from './form.ts'
import { readTask } from './read-task.ts'

/** A page of Opus that says it ends after so many seconds. */
function opus(seconds: number): Buffer {
  const head = Buffer.alloc(28 + 19)
  head.write('OggS')
  head[5] = 2
  head.writeBigUInt64LE(BigInt(seconds) * 48_000n, 6)
  head.writeUInt8(1, 26)
  head.writeUInt8(19, 27)
  head.write('OpusHead', 28)
  return Buffer.concat([head, Buffer.alloc(7500 - head.length)])
}

const read = (bytes: Buffer) =>
  readTask(
    'transcriptions',
    writeForm([{ name: 'file', file: { name: 'a.ogg', type: 'audio/ogg' }, bytes }], 'x'),
    formType('x'),
  )

test('days of silence in a few bytes are refused', () => {
  expect(read(opus(10))).toMatchObject({ model: 'whisper-1' })
  expect(read(opus(11))).toMatchObject({ param: 'file', code: 'invalid_value' })
})
