import { singleStep } from '../../steps.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { errorBody, errorEvent } from './errors.ts'
import { readRequestInSteps } from './request.ts'

/** OpenAI's own dialect needs no conversion. */
export const openaiDialect: ClientDialect = {
  requestIdHeader: null,
  readRequest: readRequestInSteps,
  counting: null,
  models: null,
  passesThrough: true,
  passed: (body) => body,
  answer: singleStep,
  error: ({ status, ...error }) => ({ status, body: errorBody(error) }),
  streamType: 'text/event-stream',
  createEncoder: () => PASS_THROUGH,
}

const PASS_THROUGH = {
  write: (blocks: readonly Buffer[]) => blocks,
  end: (usageEvent: string) => `${usageEvent}data: [DONE]\n\n`,
  error: errorEvent,
}
