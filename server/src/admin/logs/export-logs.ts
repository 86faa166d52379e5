import { AppError } from '@tollgate/contract'
import { eachLog } from '../../store/each-log.ts'
import type { ShownLog } from '../../store/logs.ts'
import type { AdminDeps } from '../deps.ts'

/** Exports at a time of one reader. */
const EXPORTS_OF_READER_MAX = 2
/** Exports at a time of this process. */
const EXPORTS_MAX = 8
/** Exports at a time of readers who see only their own rows, so that some are left for others. */
const OWN_EXPORTS_MAX = 6
const TRY_AGAIN_SECONDS = 10
/** An export that nobody reads for so long makes room for others. */
const IDLE_MS = 60_000

type Order = Parameters<typeof eachLog>[2]
type Filter = Parameters<typeof eachLog>[1]

export type LogExport<Row> = {
  readerId: number
  filter: Filter
  order: Order
  present: (row: ShownLog) => Row
}

type Options = Pick<AdminDeps, 'database'> & { idleMs?: number }

/** Reads a whole filter row by row, for a limited number of readers at a time. */
export function createLogExports({ database, idleMs = IDLE_MS }: Options) {
  const running = new Set<{ readerId: number; isOwn: boolean }>()
  const count = (isCounted: (each: { readerId: number; isOwn: boolean }) => boolean) =>
    [...running].filter(isCounted).length
  return <Row>({ readerId, filter, order, present }: LogExport<Row>): AsyncIterable<Row[]> => {
    const isOwn = filter.userId === readerId
    const isFull =
      running.size >= EXPORTS_MAX ||
      count((each) => each.readerId === readerId) >= EXPORTS_OF_READER_MAX ||
      (isOwn && count((each) => each.isOwn) >= OWN_EXPORTS_MAX)
    if (isFull) throw new AppError('too_many_requests', { seconds: TRY_AGAIN_SECONDS })
    const own = { readerId, isOwn }
    running.add(own)
    return endingWhenIdle(eachLog(database.kysely, filter, order), {
      idleMs,
      onEnd: () => running.delete(own),
      convert: (rows) => rows.map((row) => present(row)),
    })
  }
}

type Ending<Given, Row> = {
  idleMs: number
  /** Called once. */
  onEnd: () => void
  convert: (rows: Given[]) => Row[]
}

/** Ends with an error for a reader who has not asked for more in time, so that no file is cut. */
function endingWhenIdle<Given, Row>(
  given: AsyncGenerator<Given[], void>,
  { idleMs, onEnd, convert }: Ending<Given, Row>,
): AsyncIterable<Row[]> {
  let isLate = false
  const end = () => {
    clearTimeout(timer)
    onEnd()
  }
  const wait = () =>
    setTimeout(() => {
      isLate = true
      end()
      void given.return()
    }, idleMs)
  let timer = wait()
  const next = async (): Promise<IteratorResult<Row[], void>> => {
    clearTimeout(timer)
    if (isLate) throw new Error('an export of the log was not read in time')
    try {
      const result = await given.next()
      if (result.done === true) end()
      else timer = wait()
      return result.done === true ? result : { done: false, value: convert(result.value) }
    } catch (error) {
      end()
      throw error
    }
  }
  const cancel = async (): Promise<IteratorResult<Row[], void>> => {
    end()
    await given.return()
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: cancel }) }
}
