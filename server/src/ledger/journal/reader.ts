import { join } from 'node:path'
import { type Clock, yieldToEventLoop } from '../../clock.ts'
import { storableText } from '../../store/storable-text.ts'
import type { OpenRecord } from '../record.ts'
import type { Disk } from './disk.ts'
import { nameOf, parseFileName } from './file-name.ts'
import type { NumberedRecord, ReadJournal } from './journal.ts'
import { lineDecoder } from './line.ts'
import { NumberRanges } from './number-ranges.ts'

const EPOCH_NAME = /^[\w-]{1,64}$/
const NEWLINE = 0x0a
/** Upper bound on bytes read per turn of the event loop, so that requests do not wait. */
const BYTES_PER_TICK = 256 * 1024
const FAULT_TEXT_MAX = 10_000
const FAULT_ERROR_MAX = 300
const BROKEN_MAX = 1000

/** Epochs that have a folder, including epochs that are alive. */
export const listEpochs = (disk: Disk, journalFolder: string): string[] =>
  disk.listFolders(journalFolder).filter((name) => EPOCH_NAME.test(name))

type Reading = {
  disk: Disk
  /** The epoch's own folder. */
  folder: string
  epoch: string
  /** Number of the last record that was applied. */
  position: number
  clock: Clock
}

/**
 * Reads everything that is readable: broken or missing parts do not keep the rest from being
 * applied.
 */
export async function readJournal(reading: Reading): Promise<ReadJournal> {
  const journal = new JournalReader(reading)
  const { disk, folder, clock } = reading
  for (const name of listLogFiles(reading)) {
    const bytes = await disk.read(join(folder, name))
    for (let begin = 0; begin < bytes.length;) {
      begin = journal.readLines(bytes, begin)
      await yieldToEventLoop(clock)
    }
  }
  return journal.result()
}

/** In order of creation, without files that hold nothing above the position. */
function listLogFiles({ disk, folder, position }: Reading): string[] {
  const files = disk.listFiles(folder).flatMap((name) => parseFileName(name) ?? [])
  return files
    .filter(({ doneAfter }) => doneAfter === null || doneAfter > position)
    .toSorted((a, b) => a.number - b.number)
    .map(nameOf)
}

type BrokenLine = { text: string; error: string }

const brokenLine = (line: Buffer, error: string): BrokenLine => ({
  text: storableText(line.toString('utf8', 0, FAULT_TEXT_MAX), FAULT_TEXT_MAX),
  error: storableText(error, FAULT_ERROR_MAX),
})

class JournalReader {
  readonly #decode: ReturnType<typeof lineDecoder>
  readonly #position: number
  readonly #numbers = new NumberRanges()
  readonly #records: NumberedRecord[] = []
  readonly #open = new Map<string, OpenRecord>()
  /**
   * Requests whose end was read before their opening. The file of the opening is gone, or the
   * opening was rewritten to a later file.
   */
  readonly #ended = new Set<string>()
  /** Broken lines that are followed by good lines, by the record number before them. */
  readonly #broken = new Map<number, BrokenLine>()
  /** Intact records of an unknown kind, which a newer version may have written. */
  readonly #unknown: ReadJournal['faults'][number][] = []
  /** First broken line since the last good line. */
  #tail: BrokenLine | null = null
  #lastNumber = 0

  constructor({ epoch, position }: Reading) {
    this.#decode = lineDecoder(epoch)
    this.#position = position
  }

  /**
   * Reads lines from `begin`, the start of a line, for as long as one turn may take. Returns the
   * offset where reading stopped.
   */
  readLines(bytes: Buffer, begin: number): number {
    let next = begin
    while (next < bytes.length && next - begin < BYTES_PER_TICK) {
      const newline = bytes.indexOf(NEWLINE, next)
      const end = newline === -1 ? bytes.length : newline
      if (end > next) this.#readLine(bytes.subarray(next, end))
      next = end + 1
    }
    return next
  }

  result(): ReadJournal {
    const records = this.#records.toSorted((a, b) => a.number - b.number)
    const gaps = this.#numbers.gaps(this.#position).map(({ first, last }) => {
      const broken = this.#broken.get(first - 1)
      const missing = first === last ? `Record ${first} is` : `Records ${first} to ${last} are`
      const error = `${missing} missing. ${broken?.error ?? ''}`.trim()
      return {
        number: first,
        text: broken?.text ?? '',
        error: storableText(error, FAULT_ERROR_MAX),
      }
    })
    const faults = [...gaps, ...this.#unknown].toSorted((a, b) => a.number - b.number)
    return { records, open: [...this.#open.values()], faults }
  }

  #readLine(line: Buffer) {
    const decoded = this.#decode(line)
    if (!('number' in decoded)) {
      this.#tail ??= brokenLine(line, decoded.error)
      return
    }
    if (this.#tail && this.#broken.size < BROKEN_MAX) this.#broken.set(this.#lastNumber, this.#tail)
    this.#tail = null
    this.#lastNumber = decoded.number
    if (!this.#numbers.add(decoded.number)) return
    if ('record' in decoded) this.#addRecord(decoded)
    else if (decoded.number > this.#position && this.#unknown.length < BROKEN_MAX) {
      this.#unknown.push({ number: decoded.number, ...brokenLine(line, decoded.error) })
    }
  }

  #addRecord(numbered: NumberedRecord) {
    const { number, record } = numbered
    if (number > this.#position) this.#records.push(numbered)
    if (record.kind === 'open') {
      const { requestId } = record.context
      if (!this.#ended.has(requestId)) this.#open.set(requestId, record)
      return
    }
    const requestId = record.kind === 'end' ? record.context.requestId : record.requestId
    if (!this.#open.delete(requestId)) this.#ended.add(requestId)
  }
}
