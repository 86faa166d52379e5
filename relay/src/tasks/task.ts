import type { TaskEndpoint } from '../provider.ts'
import type { TaskRequest } from '../relay-request.ts'
import type { RequestProblem } from '../request-problem.ts'
import type { Steps } from '../steps.ts'

/*
 * What is asked for besides text: moderations, images, audio, rerank. Requests and answers go through in
 * OpenAI's form, as JSON or as a form, and answers may be no JSON at all. Where a provider reports no usage it
 * is measured here: in images, seconds, characters or searches, each of which counts for some tokens
 * (`units.ts`), so that prices, holds and receipts are what they are for text.
 */

export type TaskReader = (
  endpoint: TaskEndpoint,
  body: Buffer,
  contentType: string,
) => TaskRequest | RequestProblem | Steps<TaskRequest | RequestProblem>
