/** Whether an error of the ledger is a mistake in our numbers, which no later try would mend. */
export const isOwnBug = (error: unknown) =>
  error instanceof RangeError || error instanceof TypeError
