/** A full counter stays at its maximum rather than fail the charges it counts. */
export const saturatingSum = (a: number, b: number) => Math.min(Number.MAX_SAFE_INTEGER, a + b)

/** The same in SQL; `a` and `b` are SQL expressions. */
export const saturatingSumSql = (a: string, b: string) => {
  const most = Number.MAX_SAFE_INTEGER
  return `case when ${a} > ${most} - ${b} then ${most} else ${a} + ${b} end`
}
