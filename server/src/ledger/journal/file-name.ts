const FILE_NAME = /^(?<number>[1-9]\d{0,15})\.(?:log|(?<last>\d{1,16})\.done)$/

/**
 * A file of a journal, by its place among them. One that is done is all applied, and so is the end of
 * every request that was opened in it: a database has no need of it unless it is behind its last record.
 */
export type FileName = { number: number; doneAfter: number | null }

export const nameOf = ({ number, doneAfter }: FileName): string =>
  doneAfter === null ? `${number}.log` : `${number}.${doneAfter}.done`

/** Null for what is no file of a journal. */
export function parseFileName(name: string): FileName | null {
  const { number, last } = FILE_NAME.exec(name)?.groups ?? {}
  if (number === undefined) return null
  return { number: Number(number), doneAfter: last === undefined ? null : Number(last) }
}
