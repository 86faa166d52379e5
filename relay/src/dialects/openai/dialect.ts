import type { ClientDialect } from '../client-dialect.ts'
import { errorBody, errorEvent } from './errors.ts'
import { readRequest } from './request.ts'

/** Nothing has to be turned into anything. */
export const openaiDialect: ClientDialect = {
  requestIdHeader: null,
  readRequest,
  counting: null,
  models: null,
  answer: (body) => body,
  error: ({ status, ...error }) => ({ status, body: errorBody(error) }),
  streamType: 'text/event-stream',
  speak: () => PASSING,
}

const PASSING = {
  say: (blocks: readonly Buffer[]) => blocks,
  end: (usageEvent: string) => `${usageEvent}data: [DONE]\n\n`,
  fail: errorEvent,
}
