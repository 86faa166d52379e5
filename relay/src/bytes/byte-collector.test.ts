import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ByteCollector } from './byte-collector.ts'

const MEGABYTE = 1024 * 1024

/** Without garbage, which a process of many tests may have much of. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('returns what was added, in order', () => {
  const collector = new ByteCollector()
  let text = ''
  for (let index = 0; index < 5000; index += 1) {
    const piece = String(index)
    collector.add(Buffer.from(piece))
    text += piece
  }
  expect([collector.bytes().toString(), collector.size]).toEqual([text, text.length])
  collector.clear()
  expect([collector.bytes().length, collector.size]).toEqual([0, 0])
  collector.add(Buffer.from('again'))
  expect(collector.bytes().toString()).toBe('again')
})

test('a single piece is not copied', () => {
  const collector = new ByteCollector()
  const piece = Buffer.from('whole')
  collector.add(piece)
  expect(collector.bytes()).toBe(piece)
})

test('bytes added one by one take little more memory than their size', () => {
  const collector = new ByteCollector()
  const source = Buffer.alloc(64 * 1024, 'x')
  const before = keptBytes()
  for (let index = 0; index < 4 * MEGABYTE; index += 1) {
    collector.add(source.subarray(index % source.length, (index % source.length) + 1))
  }
  expect(keptBytes() - before).toBeLessThan(128 * MEGABYTE)
  expect(collector.size).toBe(4 * MEGABYTE)
})
