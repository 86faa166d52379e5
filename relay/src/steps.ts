/*
 * Work on large values, in steps: whoever runs it may let other work go first at each `yield`. Run without a
 * pause it gives the same result.
 */

/** Work that may pause at each `yield`. */
export type Steps<Result> = Generator<void, Result, void>

/** Runs steps to their end: at once, or with pauses. */
export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>

/** Runs steps to their end without a pause. */
export function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Of what is there already, or comes in steps. */
export function* steadied(result: Buffer | Steps<Buffer>): Steps<Buffer> {
  return Buffer.isBuffer(result) ? result : yield* result
}

/** A result that is there already. */
// eslint-disable-next-line require-yield
export function* steady<Result>(result: Result): Steps<Result> {
  return result
}
