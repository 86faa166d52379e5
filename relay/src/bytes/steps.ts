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

export function* asSteps<Result extends object>(result: Result | Steps<Result>): Steps<Result> {
  return 'next' in result ? yield* result : result
}

/** A result that is computed once: at once by `get`, in steps by `prepare`. */
export class Once<Result extends object> {
  readonly #steps: () => Steps<Result>
  #result: Result | undefined

  constructor(steps: () => Steps<Result>) {
    this.#steps = steps
  }

  get(): Result {
    return (this.#result ??= finish(this.#steps()))
  }

  *prepare(): Steps<Result> {
    return (this.#result ??= yield* this.#steps())
  }
}

/** Steps for a result that is already available. */
// eslint-disable-next-line require-yield
export function* singleStep<Result>(result: Result): Steps<Result> {
  return result
}
