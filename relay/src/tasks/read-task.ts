import type { RequestProblem } from '../dialects/openai/request.ts'
import type { TaskEndpoint } from '../provider.ts'
import { readModeration } from './moderations.ts'
import { readSpeech } from './speech.ts'
import type { TaskReader, TaskRequest } from './task.ts'
import { readTranscription } from './transcription.ts'

const READERS: Partial<Readonly<Record<TaskEndpoint, TaskReader>>> = {
  moderations: readModeration,
  speech: readSpeech,
  transcriptions: readTranscription,
  translations: readTranscription,
}

/** Reads a request for one of the endpoints that are not about text. */
export function readTask(
  endpoint: TaskEndpoint,
  body: Buffer,
  contentType: string,
): TaskRequest | RequestProblem | Promise<TaskRequest | RequestProblem> {
  const read = READERS[endpoint]
  if (read === undefined) throw new Error(`${endpoint} has no reader`)
  return read(endpoint, body, contentType)
}
