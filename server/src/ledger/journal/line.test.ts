import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moved, opened, settled } from '../../../testing/ledger/journal-records.ts'
import type { JournalRecord } from '../record.ts'
import { LineBatch, lineDecoder } from './line.ts'

const EPOCH = 'epoch-1'

function lineOf(number: number, record: JournalRecord, epoch = EPOCH): Buffer {
  const batch = new LineBatch(epoch)
  batch.add(number, record)
  return Buffer.from(batch.take().subarray(0, -1))
}

const decode = lineDecoder(EPOCH)

test.each([opened('a'), settled('b', 'tokens: 主要 🎉 "quoted"\n'), moved('c')])(
  'a record of kind $kind is read unchanged',
  (record) => expect(decode(lineOf(12, record))).toEqual({ number: 12, record }),
)

test('text of any language is read unchanged, and is one line', () => {
  const text = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (content, number) => {
      const line = lineOf(number, settled(content, content))
      expect(line.includes('\n')).toBe(false)
      expect(decode(line)).toEqual({ number, record: settled(content, content) })
    }),
  )
})

test('a line with any one byte changed is broken', () => {
  const line = lineOf(12, settled('a', '主要'))
  for (let index = 0; index < line.length; index++) {
    for (const flip of [0x01, 0x20, 0x80]) {
      const changed = Buffer.from(line)
      changed[index] = (changed[index] ?? 0) ^ flip
      expect(decode(changed)).toHaveProperty('error')
    }
  }
})

test('a part of a line is broken, wherever it is cut', () => {
  const line = lineOf(12, settled('a', '主要'))
  for (let length = 0; length < line.length; length++) {
    expect(decode(line.subarray(0, length))).toHaveProperty('error')
    if (length > 0) expect(decode(line.subarray(length))).toHaveProperty('error')
  }
})

// guards: C8.3
test.each(['epoch-2', 'epoch-', 'epoch-11', ''])('a line of epoch %j is rejected', (epoch) => {
  expect(decode(lineOf(1, settled('a'), epoch))).toHaveProperty('error')
})

const NO_RECORDS = [
  { ...settled('a'), cost: -1 },
  { ...settled('a'), cost: 0.5 },
  { ...settled('a'), held: Number.NaN },
  { ...settled('a'), cost: Number.MAX_SAFE_INTEGER },
]

test.each(NO_RECORDS)('an amount that is not a quota is no record ($cost of $held)', (record) => {
  expect(decode(lineOf(1, record))).toHaveProperty('error')
})

test('lines are separate, and a batch can be reused', () => {
  const batch = new LineBatch(EPOCH)
  for (const round of ['first', 'second']) {
    const contents = Array.from({ length: 40 }, (_, index) => `${round}主`.repeat(index * 100))
    let length = 0
    for (const [index, content] of contents.entries()) {
      length += batch.add(index + 1, settled('a', content))
    }
    expect(batch.length).toBe(length)
    const lines = batch.take().toString().split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => decode(Buffer.from(line)))).toEqual(
      contents.map((content, index) => ({ number: index + 1, record: settled('a', content) })),
    )
    expect(batch.length).toBe(0)
  }
})
