import type { Members } from './bytes/json-members.ts'
import type { JsonRecord } from './bytes/json-value.ts'
import type { Once, RunSteps, Steps } from './bytes/steps.ts'
import type { CardLookup } from './cards/card-of.ts'
import type { RequestProblem } from './errors/request-problem.ts'
import type { Adaptation, Adaptations } from './fit/adaptations.ts'
import type { ChatForm } from './form/request.ts'
import type { ProviderDialect, RelayEndpoint } from './provider.ts'
import type { TaskObserver } from './tasks/task-observer.ts'
import type { CountTexts } from './tokens/token-encodings.ts'
import type { AnswerSummary, AnswerForm } from './usage/answer-summary.ts'
import type { BilledFeature } from './usage/billed-features.ts'
import type { Usage } from './usage/usage.ts'

/*
 * The types of a request and of its task, which dialects, tasks and counting share.
 */

export type RelayRequest = {
  readonly endpoint: RelayEndpoint
  readonly model: string
  readonly stream: boolean
  readonly includeUsage: boolean
  /** The client's limit on the output tokens of a choice; null for none. */
  readonly outputLimit: number | null
  /** Tokens of `outputLimit` reserved for reasoning. Providers reject a limit that is no higher. */
  readonly thinkingBudget?: number
  /** Number of answers, all of which are charged: prompts times the larger of n and best_of. */
  readonly choices: number
  /** Upper bound on the prompt tokens for any tokenizer. */
  readonly promptTokensUpperBound: number
  /** Bytes without images and audio; absent for requests that are not about text. */
  readonly textBytesUpperBound?: number
  /** Upper bound on the tokens of images and audio; absent for requests that are not about text. */
  readonly mediaTokensUpperBound?: number
  /** The number of images. Another model may use more tokens per image than the requested model. */
  readonly imageCount?: number
  /** In the client's dialect. */
  readonly body: Buffer
  readonly members: Members
  /** The request as chat completions without its long strings (`json-outline.ts`). */
  readonly outline: JsonRecord
  /** The whole chat, if its client speaks another API than chat completions. */
  readonly form?: Once<ChatForm>
  /** The whole request as chat completions; parsed, and translated, on the first call. */
  readonly json: () => JsonRecord
  /** Does the work of `json` in steps. */
  readonly whole?: Once<JsonRecord>
  /** Why the whole request cannot be translated, which its outline need not show; null: it can. */
  readonly refusal?: () => RequestProblem | null
  /** Files, or built-in tools that find files. Only the provider knows their length. */
  readonly hasFiles?: boolean
  /** Tools that the provider runs in several rounds. Every round reads the prompt again. */
  readonly hasServerTools?: boolean
  /** Tools whose calls the client reads as a text in place of JSON; absent for none. */
  readonly textTools?: ReadonlySet<string>
  /** The client speaks another API than OpenAI's chat completions and embeddings. */
  readonly isTranslated?: boolean
  /** The provider may first summarize a long conversation, beyond the client's limit. */
  readonly mayCompact?: boolean
  /** Features that are billed in addition to tokens; absent or empty for none. */
  readonly billed?: readonly BilledFeature[]
  /**
   * The same request with the provider's own tools and tiers, which it leaves out otherwise. Absent
   * if it leaves out none.
   */
  readonly withProviderTools?: () => RelayRequest
  readonly task?: Task
  /** The client's own request, for providers that speak the client's dialect. */
  readonly native?: NativeForm
}

/** A request in its client's own bytes, for providers of the same dialect. */
export type NativeForm = {
  readonly dialect: ProviderDialect
  /** Why no other API can express the request, so that only this dialect can serve it. */
  readonly obstacle: RequestProblem | null
  /** The typed form omits something that a provider of this dialect would use. */
  readonly isLossy: boolean
  /** The answer is to replace the conversation. */
  readonly compacts?: boolean
  /** Whether the model's maker refuses the name of a tool, which the typed form can change. */
  readonly refusesNames?: (model: string) => boolean
  /** Whether encrypted reasoning is in the history. Absent in dialects without compaction. */
  readonly hasReasoning?: () => boolean
  readonly headers: Readonly<Record<string, string>>
  /** What the typed form omits, including hints. */
  readonly losses: () => readonly Adaptation[]
  /** Parses what `encode` needs, in steps. Null if the outline suffices, as it mostly does. */
  readonly prepare: (target: NativeTarget) => Steps<unknown> | null
  /** Edits the model, the output limit, and what the model rejects of the history. */
  readonly encode: (target: NativeTarget) => Buffer
  /** Adds usage to a complete answer of such a provider that reported none. */
  readonly withUsage: (answer: Buffer, usage: Usage) => Steps<Buffer>
}

export type NativeTarget = {
  readonly model: string
  readonly outputLimit?: number
  /** Leaves out encrypted reasoning, which the provider cannot read. */
  readonly dropsReasoning?: boolean
  /** Replaces compaction items by a note, for providers that cannot read them. */
  readonly dropsCompaction?: boolean
  readonly cardOf?: CardLookup | undefined
  readonly adaptations?: Adaptations | undefined
}

export type TaskRequest = RelayRequest & { readonly task: Task }

export type Task = {
  readonly contentType: string
  /**
   * Builds the body with the provider's model name. Absent for JSON, whose `model` member is
   * replaced.
   */
  readonly encode?: (model: string) => Buffer
  /** Reads a 2xx answer; `usage` is null if the provider reported none. */
  readonly readAnswer: (body: Buffer, contentType: string) => AnswerSummary
  /**
   * Upper bounds by the provider's model name; absent if only the requested name decides the price.
   */
  readonly boundsFor?: (
    model: string,
  ) => Pick<RelayRequest, 'promptTokensUpperBound' | 'outputLimit'>
  /** Usage if none was reported. `answer` is null if the gateway did not see it. */
  readonly measure: (answer: Buffer | null, how: MeasureContext) => Usage | Promise<Usage>
  /** Whether reported tokens are charged; absent if they always are. */
  readonly chargesTokens?: (how: MeasureContext) => boolean
  /**
   * Observes an answer of that content type that is streamed to the client. Absent or null if the
   * answer is not streamed.
   */
  readonly observe?: (contentType: string) => TaskObserver | null
  /** Converts the answer for the client; absent if the answer is passed on unchanged. */
  readonly finish?: (
    answer: Buffer,
    told: { readonly usage: Usage; readonly model: string; readonly id: string },
  ) => FinishedAnswer
}

export type FinishedAnswer = {
  readonly body: Buffer
  readonly form: AnswerForm
  /** Set for media; absent if the body is still the provider's. */
  readonly contentType?: string
}

export type MeasureContext = CountOptions & {
  /**
   * Called with a reported measure that is implausible for the request and therefore not charged.
   */
  readonly onImplausible?: (reported: Usage) => void
  /** The provider's model name. */
  readonly model: string
  /** Price of an output token in input tokens; 0 or 1 if only the input has a price. */
  readonly completionRatio: number
}

export type CountOptions = {
  /** Text beyond this many bytes is estimated; 0 estimates everything. */
  readonly exactBytesMax?: number
  readonly estimator?: (text: string) => number
  readonly onEstimate?: () => void
  /** Runs the reading of a request; by default without pauses. */
  readonly run?: RunSteps
  /** Counts on another thread; by default on this one. */
  readonly countTexts?: CountTexts
}
