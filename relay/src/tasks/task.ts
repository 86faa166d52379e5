import type { CountOptions } from '../count-tokens.ts'
import type { Answer, AnswerForm } from '../dialects/openai/answer.ts'
import type { RequestProblem } from '../dialects/openai/request-problem.ts'
import type { RelayRequest } from '../dialects/openai/request.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { Steps } from '../steps.ts'
import type { Usage } from '../usage.ts'
import type { TaskWatch } from './task-observer.ts'

/*
 * What is asked for besides text: moderations, images, audio, rerank. Requests and answers go through in
 * OpenAI's form, as JSON or as a form, and answers may be no JSON at all. Where a provider reports no usage it
 * is measured here: in images, seconds, characters or searches, each of which counts for some tokens
 * (`units.ts`), so that prices, holds and receipts are what they are for text.
 */

export type TaskRequest = RelayRequest & { readonly task: Task }

/** How one request of such an endpoint is sent, and its answer understood. */
export type Task = {
  /** Of the request body. */
  readonly contentType: string
  /** The body under the provider's name for the model; absent where it is JSON, whose member is replaced. */
  readonly encode?: (model: string) => Buffer
  /** Reads an answer of status 2xx; `usage` is what the provider reported, null for nothing. */
  readonly readAnswer: (body: Buffer, contentType: string) => Answer
  /** The most there is to pay where the provider's name of the model decides; absent where the request's does. */
  readonly boundsAt?: (
    model: string,
  ) => Pick<RelayRequest, 'promptTokensUpperBound' | 'outputLimit'>
  /** What counts where nothing was reported; null for an answer that nobody has seen. */
  readonly measure: (answer: Buffer | null, how: Measuring) => Usage | Promise<Usage>
  /** Whether it is charged by reported tokens; absent where it always is. */
  readonly paysTokens?: (how: Measuring) => boolean
  /** For an answer of that type, where it is handed on as it comes; absent, or null, where it is not. */
  readonly watch?: (contentType: string) => TaskWatch | null
  /** The answer as clients are given it; absent where it goes on as it came. */
  readonly finish?: (
    answer: Buffer,
    told: { readonly usage: Usage; readonly model: string; readonly id: string },
  ) => FinishedAnswer
}

export type FinishedAnswer = {
  readonly body: Buffer
  readonly form: AnswerForm
  /** Of media; absent where the body is still the provider's. */
  readonly contentType?: string
}

export type Measuring = CountOptions & {
  /** Told of a measure that the provider reported and that cannot be of this request: it is not charged. */
  readonly onOverruled?: (reported: Usage) => void
  /** As the provider names it. */
  readonly model: string
  /** What a token of output costs, in tokens of input; 0 or 1 where only the input has a price. */
  readonly completionRatio: number
}

export type TaskReader = (
  endpoint: TaskEndpoint,
  body: Buffer,
  contentType: string,
) => TaskRequest | RequestProblem | Steps<TaskRequest | RequestProblem>
