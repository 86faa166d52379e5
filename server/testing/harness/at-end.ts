import { onTestFinished } from 'vitest'

/**
 * Runs at the end of the test, the last step first. A hook in this file would run for the first
 * test file that imports it alone.
 */
export const atEnd = (step: () => unknown) =>
  onTestFinished(async () => {
    await step()
  })
