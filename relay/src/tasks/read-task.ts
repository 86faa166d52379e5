import type { RequestProblem } from '../dialects/openai/request.ts'
import type { TaskEndpoint } from '../provider.ts'
import { readImageEdit, readImageGeneration, readImageVariation } from './images.ts'
import { readModeration } from './moderations.ts'
import { readRerank } from './rerank.ts'
import type { TaskReader, TaskRequest } from './task.ts'

const READERS: Partial<Readonly<Record<TaskEndpoint, TaskReader>>> = {
  moderations: readModeration,
  images: readImageGeneration,
  imageEdits: readImageEdit,
  imageVariations: readImageVariation,
  rerank: readRerank,
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
