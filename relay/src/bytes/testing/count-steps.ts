import type { Steps } from '../steps.ts'

/** The number of steps that some work takes, and its result. */
export function countSteps<Result>(steps: Steps<Result>) {
  let count = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count += 1
  return { count, value: step.value }
}
