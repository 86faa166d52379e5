import { AppError } from '@tollgate/contract'
import { eachLog } from '../../store/each-log.ts'
import type { ShownLog } from '../../store/logs.ts'
import type { AdminDeps } from '../deps.ts'

/** Exports at a time of one reader, and of this process. */
const OF_READER_MAX = 2
const OF_PROCESS_MAX = 8
const TRY_AGAIN_SECONDS = 10

type Order = Parameters<typeof eachLog>[2]
type Filter = Parameters<typeof eachLog>[1]

export type LogExport<Row> = {
  readerId: number
  filter: Filter
  order: Order
  present: (row: ShownLog) => Row
}

/** Reads a whole filter row by row, for a limited number of readers at a time. */
export function createLogExports({ database }: Pick<AdminDeps, 'database'>) {
  const running = new Map<number, number>()
  const countAll = () => [...running.values()].reduce((sum, count) => sum + count, 0)
  const add = (readerId: number, by: number) => {
    const count = (running.get(readerId) ?? 0) + by
    if (count === 0) running.delete(readerId)
    else running.set(readerId, count)
  }
  return <Row>({ readerId, filter, order, present }: LogExport<Row>): AsyncIterable<Row[]> => {
    if ((running.get(readerId) ?? 0) >= OF_READER_MAX || countAll() >= OF_PROCESS_MAX) {
      throw new AppError('too_many_requests', { seconds: TRY_AGAIN_SECONDS })
    }
    return read()

    async function* read() {
      add(readerId, 1)
      try {
        for await (const rows of eachLog(database.kysely, filter, order)) {
          yield rows.map((row) => present(row))
        }
      } finally {
        add(readerId, -1)
      }
    }
  }
}
