import { expect, test } from 'vitest'
import { OPUS_HEAD, ogg, oggPackets, page, times } from '../audio-length/testing/recordings.ts'
import { type FormPart, formType, writeForm } from './form.ts'
import { readTask } from './read-task.ts'

/** Packets of 120 ms in two bytes each, among bytes that are no sound. */
const opus = (packets: number) =>
  Buffer.concat([
    ogg(OPUS_HEAD, oggPackets(packets, Buffer.from([0x1b, 2]))),
    Buffer.alloc(15_000),
  ]).subarray(0, 15_000)

const recording = (name: string, bytes: Buffer) => ({
  name,
  file: { name: 'a.ogg', type: 'audio/ogg' },
  bytes,
})
const read = (bytes: Buffer, ...more: FormPart[]) =>
  readTask('transcriptions', writeForm([recording('file', bytes), ...more], 'x'), formType('x'))

test('days of silence in a few bytes are refused', () => {
  expect(read(opus(166))).toMatchObject({ model: 'whisper-1' })
  expect(read(opus(175))).toMatchObject({ param: 'file', code: 'invalid_value' })
  expect(read(times(2 ** 18, Buffer.concat([page(7, 0n, OPUS_HEAD)])))).toMatchObject({
    param: 'file',
    code: 'invalid_value',
  })
})

test('a second recording, which some servers take for the first, is refused', () => {
  for (const name of ['file[]', 'File', 'audio']) {
    expect(read(opus(10), recording(name, opus(20)))).toMatchObject({
      param: name,
      code: 'unsupported_parameter',
    })
  }
})
