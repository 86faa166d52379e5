import { steady } from '../../steps.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { errorBody, errorEvent } from './errors.ts'
import { readRequestInSteps } from './request.ts'

/** OpenAI's own dialect needs no conversion. */
export const openaiDialect: ClientDialect = {
  requestIdHeader: null,
  readRequest: readRequestInSteps,
  counting: null,
  models: null,
  passes: true,
  answer: steady,
  error: ({ status, ...error }) => ({ status, body: errorBody(error) }),
  streamType: 'text/event-stream',
  speak: () => PASSING,
}

const PASSING = {
  say: (blocks: readonly Buffer[]) => blocks,
  end: (usageEvent: string) => `${usageEvent}data: [DONE]\n\n`,
  fail: errorEvent,
}
