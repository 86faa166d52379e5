/*
 * Work on large values in steps. The runner may let other work proceed at each `yield`. The result
 * is the same without pauses.
 */

export type Steps<Result> = Generator<void, Result, void>

export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>

export function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

export function* asSteps(result: Buffer | Steps<Buffer>): Steps<Buffer> {
  return Buffer.isBuffer(result) ? result : yield* result
}

/** Steps for a result that is already available. */
// eslint-disable-next-line require-yield
export function* singleStep<Result>(result: Result): Steps<Result> {
  return result
}
