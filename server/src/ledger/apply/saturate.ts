/** A full counter stays at its maximum rather than fail the charges it counts. */
export const saturatingSum = (a: number, b: number) => Math.min(Number.MAX_SAFE_INTEGER, a + b)

/** The same in SQL; `a` and `b` are SQL expressions. */
export const saturatingSumSql = (a: string, b: string) => {
  const max = Number.MAX_SAFE_INTEGER
  return `case when ${a} > ${max} - ${b} then ${max} else ${a} + ${b} end`
}
