import type { Log } from '@tollgate/contract'

/** Rows of one request, which is the most that the server answers. */
export const TAIL_ROWS_MAX = 100
/** Newer rows that a view keeps; older ones are on the next pages. */
export const KEPT_ROWS_MAX = 500

type Row = Pick<Log, 'id'>

export type Range = { after: number | undefined; before: number | undefined }

/**
 * The rows after `newest`, the newest first. More of them than a view keeps are not read: the rows
 * reach `newest` only if `isWhole`.
 */
export async function readNewer<R extends Row>(
  newest: number,
  list: (range: Range) => Promise<readonly R[]>,
): Promise<{ rows: R[]; isWhole: boolean }> {
  const after = newest === 0 ? undefined : newest
  const rows: R[] = []
  while (rows.length < KEPT_ROWS_MAX) {
    const found = await list({ after, before: rows.at(-1)?.id })
    rows.push(...found)
    if (found.length < TAIL_ROWS_MAX) return { rows, isWhole: true }
  }
  return { rows, isWhole: false }
}

/** Rows that arrived after a page was read, the newest first and without a gap between them. */
export type Newer<R> = {
  rows: readonly R[]
  /** How many arrived, also those that are no longer kept. */
  arrived: number
  /** More arrived than were read. */
  isMore: boolean
}

export const NONE_NEWER: Newer<never> = { rows: [], arrived: 0, isMore: false }

export function withNewer<R>(
  { rows: known, arrived, isMore }: Newer<R>,
  { rows, isWhole }: { rows: readonly R[]; isWhole: boolean },
): Newer<R> {
  return {
    rows: [...rows, ...(isWhole ? known : [])].slice(0, KEPT_ROWS_MAX),
    arrived: arrived + rows.length,
    isMore: isMore || !isWhole,
  }
}

/** What of the newer rows is newer than the page, which may have been read again. */
export function newerThan<R extends Row>(newer: Newer<R>, first: number): Newer<R> {
  const rows = newer.rows.filter(({ id }) => id > first)
  if (rows.length === newer.rows.length) return newer
  return { rows, arrived: rows.length, isMore: false }
}

/**
 * The rows of a followed page. A page that no longer follows the newer rows without a gap is left
 * out: its rows are on the next pages.
 */
export function followedRows<R>({ rows, arrived }: Newer<R>, page: readonly R[]): readonly R[] {
  return rows.length < arrived ? rows : [...rows, ...page]
}
