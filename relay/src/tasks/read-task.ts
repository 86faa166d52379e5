import type { Steps } from '../bytes/steps.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { TaskRequest } from '../relay-request.ts'
import { readImageEdit, readImageGeneration, readImageVariation } from './images.ts'
import { readModeration } from './moderations.ts'
import { readOcr } from './ocr.ts'
import { readRerank } from './rerank.ts'
import { readSpeech } from './speech.ts'
import type { TaskReader } from './task.ts'
import { readTranscription } from './transcription.ts'

const READERS: Readonly<Record<TaskEndpoint, TaskReader>> = {
  moderations: readModeration,
  images: readImageGeneration,
  imageEdits: readImageEdit,
  imageVariations: readImageVariation,
  rerank: readRerank,
  ocr: readOcr,
  speech: readSpeech,
  transcriptions: readTranscription,
  translations: readTranscription,
}

export function* readTask(
  endpoint: TaskEndpoint,
  body: Buffer,
  contentType: string,
): Steps<TaskRequest | RequestProblem> {
  const read = READERS[endpoint](endpoint, body, contentType)
  return 'next' in read ? yield* read : read
}
