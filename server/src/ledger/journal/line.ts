import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { JournalRecord } from '../record.ts'
import type { NumberedRecord } from './journal.ts'
import { journalRecordSchema } from './record-schema.ts'

const CHECK_LENGTH = 8
const NUMBER_LENGTH_MAX = 16
/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT_MAX = 3
const LINE_OVERHEAD = CHECK_LENGTH + NUMBER_LENGTH_MAX + 3
const BATCH_BYTES_START = 64 * 1024
/** A buffer that a burst made larger than this is replaced by a small buffer. */
const BATCH_BYTES_KEPT = 1024 * 1024
const NEWLINE = 0x0a
const LINE = /^(?<check>[0-9a-f]{8}) (?<number>[1-9]\d{0,15}) (?<text>\{.*\})$/s

const checkText = (check: number): string => check.toString(16).padStart(CHECK_LENGTH, '0')

/**
 * Lines to write together, each `check number json`. The check covers the name of the epoch, the
 * number and the JSON, so that a line of another epoch or a stale disk block never passes for a
 * line of this epoch. The JSON escapes newlines, control characters and lone surrogates.
 */
export class LineBatch {
  readonly #epochCheck: number
  #bytes = Buffer.allocUnsafeSlow(BATCH_BYTES_START)
  #length = 0

  constructor(epoch: string) {
    this.#epochCheck = crc32(epoch)
  }

  get length(): number {
    return this.#length
  }

  /** Returns the length of the line in bytes. */
  add(number: number, record: JournalRecord): number {
    // Written apart from its number: joining the two would copy the text.
    const text = JSON.stringify(record)
    this.#reserve(text.length * BYTES_PER_UNIT_MAX + LINE_OVERHEAD)
    const bytes = this.#bytes
    const begin = this.#length
    const numberText = `${number} `
    const check = crc32(text, crc32(numberText, this.#epochCheck))
    const numberBegin = begin + bytes.write(`${checkText(check)} `, begin, 'latin1')
    const textBegin = numberBegin + bytes.write(numberText, numberBegin, 'latin1')
    const textEnd = textBegin + bytes.write(text, textBegin)
    bytes[textEnd] = NEWLINE
    this.#length = textEnd + 1
    return this.#length - begin
  }

  /** Lines added since the last call. The buffer is valid until the next `add`. */
  take(): Buffer {
    const lines = this.#bytes.subarray(0, this.#length)
    if (this.#bytes.length > BATCH_BYTES_KEPT) {
      this.#bytes = Buffer.allocUnsafeSlow(BATCH_BYTES_START)
    }
    this.#length = 0
    return lines
  }

  #reserve(bytes: number) {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** If the check matches, the number is right, even for a record of an unknown kind. */
type Decoded = NumberedRecord | { number: number; error: string } | { error: string }

/** Decodes lines of one epoch, without their newlines. */
export function lineDecoder(epoch: string): (line: Buffer) => Decoded {
  const epochCheck = crc32(epoch)
  return (line) => {
    const { check, number, text } = LINE.exec(line.toString())?.groups ?? {}
    if (check === undefined || text === undefined) return { error: 'This is no line of a journal.' }
    if (checkText(crc32(line.subarray(CHECK_LENGTH + 1), epochCheck)) !== check) {
      return { error: 'The check of this line does not fit.' }
    }
    const record = parseRecord(text)
    return { number: Number(number), ...('error' in record ? record : { record }) }
  }
}

function parseRecord(text: string): JournalRecord | { error: string } {
  try {
    const result = journalRecordSchema.safeParse(JSON.parse(text))
    return result.success ? result.data : { error: z.prettifyError(result.error) }
  } catch (error) {
    return { error: String(error) }
  }
}
