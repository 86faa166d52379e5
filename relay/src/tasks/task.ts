import type { Steps } from '../bytes/steps.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { TaskRequest } from '../relay-request.ts'

/*
 * Tasks are requests for something other than text: moderations, images, audio, rerank, OCR.
 * Requests and answers use OpenAI's format, as JSON or as a form. Answers need not be JSON. If a
 * provider reports no usage, usage is measured here in images, seconds, characters, searches or
 * pages. Each of these counts for some tokens (`units.ts`), so that prices, holds and receipts work
 * as they do for text.
 */

export type TaskReader = (
  endpoint: TaskEndpoint,
  body: Buffer,
  contentType: string,
) => TaskRequest | RequestProblem | Steps<TaskRequest | RequestProblem>
