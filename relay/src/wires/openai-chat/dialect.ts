import { singleStep } from '../../bytes/steps.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { writeChatAnswer } from './chat-answer.ts'
import { readRequestInSteps } from './read-head.ts'
import { ChunkEncoder } from './stream-encoder.ts'
import { errorBody } from './write-error.ts'

/** Answers and streams of chat completions pass through unchanged. */
export const openaiDialect: ClientDialect = {
  requestIdHeader: null,
  readRequest: readRequestInSteps,
  counting: null,
  models: null,
  readsChatCompletions: true,
  passed: (body) => body,
  answer: writeChatAnswer,
  embeddings: singleStep,
  error: ({ status, ...error }) => ({ status, body: errorBody(error) }),
  usagePaths: { answer: ['usage'], stream: ['usage'] },
  streamType: 'text/event-stream',
  createEncoder: () => new ChunkEncoder(),
}
