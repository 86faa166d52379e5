import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, AnswerSummary, UpstreamProblem } from '@tollgate/relay'
import type { OpenStream } from './open-stream.ts'

export type AttemptOutcome =
  | {
      type: 'failed'
      problem: UpstreamProblem
      status: number
      /**
       * How long the provider may have worked on a lost answer. Absent if it refused or was not
       * asked.
       */
      workedMs?: number
      /** The deadline passed before the head of a response arrived. */
      isSilent?: boolean
      /** The answer had no output. Its provider bills the prompt. */
      isEmpty?: boolean
    }
  | {
      type: 'answered'
      status: number
      /** From the provider; `answerType` decides what clients are sent. */
      contentType: string
      /** From the provider, or what a codec made of it. */
      body: Buffer
      /** Null for embeddings, tasks, and an answer that passes unchanged. */
      decoded: Answer | null
      answer: AnswerSummary
      /** The body is in the client's own dialect. */
      isNative: boolean
      headers: IncomingHttpHeaders
    }
  | { type: 'streaming'; stream: OpenStream }
  /** The balance does not pay for more, or the drain time of a disconnected client is over. */
  | { type: 'abandoned'; workedMs: number }
  /** The client disconnected before anything was sent. */
  | { type: 'unsent' }
  /** The deadline of all attempts passed before any part of an answer arrived. */
  | { type: 'expired'; workedMs: number; isSilent: boolean }
  /** Nothing waits for this attempt any more. */
  | { type: 'cancelled' }

/** Refused, or broken off before the first token. */
export type Failed = Extract<AttemptOutcome, { type: 'failed' }>

export type AttemptExchange = {
  readonly outcome: Promise<AttemptOutcome>
  /**
   * Whether the provider has queued the request and runs it even if nothing polls for the result.
   */
  readonly isQueued?: () => boolean
  /** No effect once there is an outcome. */
  readonly cancel: () => void
  /** Ends the attempt because its caller cannot pay for more. */
  readonly abandon: () => void
}
