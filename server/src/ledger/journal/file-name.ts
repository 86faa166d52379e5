const FILE_NAME = /^(?<number>[1-9]\d{0,15})\.(?:log|(?<last>\d{1,16})\.done)$/

/**
 * A journal file by its place in the sequence. In a file that is done, every record is applied, and
 * so is the end of every request that was opened in it. A database needs a file that is done only
 * if its position is below `doneAfter`.
 */
export type FileName = { number: number; doneAfter: number | null }

export const nameOf = ({ number, doneAfter }: FileName): string =>
  doneAfter === null ? `${number}.log` : `${number}.${doneAfter}.done`

/** Null if the name is not the name of a journal file. */
export function parseFileName(name: string): FileName | null {
  const { number, last } = FILE_NAME.exec(name)?.groups ?? {}
  if (number === undefined) return null
  return { number: Number(number), doneAfter: last === undefined ? null : Number(last) }
}
