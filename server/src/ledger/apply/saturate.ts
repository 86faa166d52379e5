/** A counter that is full stands still rather than stop the charges that it counts. */
export const saturatingSum = (a: number, b: number) => Math.min(Number.MAX_SAFE_INTEGER, a + b)

/** The same in SQL, for columns of a row that is there and of one that was to be inserted. */
export const saturatingSumSql = (a: string, b: string) => {
  const most = Number.MAX_SAFE_INTEGER
  return `case when ${a} > ${most} - ${b} then ${most} else ${a} + ${b} end`
}
