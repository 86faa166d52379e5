import { expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { type FormPart, formType, writeForm } from './form.ts'
import { readTask } from './read-task.ts'

/** An Opus page whose position says it ends after `seconds`. */
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

const recording = (name: string, bytes: Buffer) => ({
  name,
  file: { name: 'a.ogg', type: 'audio/ogg' },
  bytes,
})
const read = (bytes: Buffer, ...more: FormPart[]) =>
  finish(
    readTask('transcriptions', writeForm([recording('file', bytes), ...more], 'x'), formType('x')),
  )

test('days of silence in a few bytes are refused', () => {
  expect(read(opus(10))).toMatchObject({ model: 'whisper-1' })
  expect(read(opus(11))).toMatchObject({ param: 'file', code: 'invalid_value' })
})

test('a second recording, which some servers read instead of the first, is refused', () => {
  for (const name of ['file[]', 'File', 'audio']) {
    expect(read(opus(5), recording(name, opus(9)))).toMatchObject({
      param: name,
      code: 'unsupported_parameter',
    })
  }
})
