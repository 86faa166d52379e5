import type { Members } from './json-members.ts'
import type { JsonRecord } from './json-value.ts'
import type { ProviderDialect, RelayEndpoint } from './provider.ts'
import type { Answer, AnswerForm } from './relay-answer.ts'
import type { RequestProblem } from './request-problem.ts'
import type { RunSteps, Steps } from './steps.ts'
import type { TaskWatch } from './tasks/task-observer.ts'
import type { Usage } from './usage.ts'

/*
 * The types of a request and of its task, which dialects, tasks and counting share.
 */

export type RelayRequest = {
  readonly endpoint: RelayEndpoint
  readonly model: string
  readonly stream: boolean
  /** The client wants the usage event of a stream for itself. */
  readonly includeUsageAsked: boolean
  /** The most tokens one choice may have, as the client says; null when it does not. */
  readonly outputLimit: number | null
  /** How many of these tokens are for thoughts, as the client says: a limit that is no higher is refused. */
  readonly thinkingBudget?: number
  /** How many answers are made, all of which are paid: prompts times the larger of n and best_of. */
  readonly choices: number
  /** No tokenizer makes more of this request than that. */
  readonly promptTokensUpperBound: number
  /** Its bytes without images and audio; absent where it is about no text. */
  readonly textBytesUpperBound?: number
  /** The tokens that images and audio have at most; absent where it is about no text. */
  readonly mediaTokensUpperBound?: number
  /** The images among them, which have more at some models than at the one that is named. */
  readonly imageCount?: number
  readonly body: Buffer
  readonly members: Members
  /** What the body says, long texts inside of its members left out (`json-outline.ts`). */
  readonly outline: JsonRecord
  /** All that it says; parsed when it is asked for first. */
  readonly json: () => JsonRecord
  /** Files, or tools of the provider that find some: how long they are is the provider's to say. */
  readonly hasFiles?: boolean
  /** Translated from another dialect: it has members that only codecs know. */
  readonly hasExtensions?: boolean
  /** The provider may sum up a long conversation first, whose tokens the client's limit is not for. */
  readonly sumsUp?: boolean
  /** A member that is billed beside the tokens; absent or null for none. */
  readonly unpriced?: string | null
  /** Of the endpoints that are not about text: how they differ. */
  readonly task?: Task
  /** What its client wrote, where providers speak the client's dialect too. */
  readonly native?: NativeForm
}

/** A request in its client's own bytes, for providers of the same dialect. */
export type NativeForm = {
  readonly dialect: ProviderDialect
  /** Why it cannot be said in OpenAI's form, so that nobody else can be asked; null where it can. */
  readonly obstacle: RequestProblem | null
  /** Something is left out of OpenAI's form that such a provider would heed. */
  readonly isLossy: boolean
  /** Of the client's headers those that the provider is told. */
  readonly headers: Readonly<Record<string, string>>
  /** All bytes as they came but those of the model, a limit on the output, and what is refused unsigned. */
  readonly encode: (target: { model: string; outputLimit?: number }) => Buffer
  /** A whole answer of such a provider, with usage that it has not told. */
  readonly withUsage: (answer: Buffer, usage: Usage) => Steps<Buffer>
}

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

export type CountOptions = {
  /** Text beyond this many bytes is estimated; 0 estimates everything. */
  readonly exactBytesMax?: number
  /** How such text is estimated. */
  readonly beyond?: (text: string) => number
  /** Told of each text that is. */
  readonly onEstimate?: () => void
  /** How counting is run; absent without a pause. */
  readonly run?: RunSteps
}
