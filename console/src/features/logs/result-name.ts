import { LOG_RESULTS, type LogResult } from '@tollgate/contract'

export const isResultName = (text: string): text is LogResult =>
  LOG_RESULTS.some((result) => result === text)
