import {
  type Answer,
  type AnswerSummary,
  answerNodesMax,
  asSteps,
  type Decoded,
  isReadAtOnce,
  jsonIn,
  outlineOf,
  prepareAnswer,
  readAnswer,
  readChatAnswer,
  type RelayEndpoint,
  type RelayRequest,
  skippedMembers,
  type Steps,
  summaryOf,
  type TransportFailure,
} from '@tollgate/relay'
import type { NativeTap } from '../../upstream/exchange.ts'

type Options = {
  /** Null for an answer in OpenAI's form, and for a failure. */
  readonly tap: NativeTap | null
  readonly request: RelayRequest
  /** The client reads OpenAI's form. */
  readonly readsChatCompletions: boolean
}

/**
 * The answer, or why it cannot be read. Parses in steps, without the members that the gateway does
 * not use.
 */
export function* readWhole(
  body: Buffer,
  { tap, request: { endpoint, task }, readsChatCompletions }: Options,
): Steps<Decoded | TransportFailure> {
  const withoutSkipped = { skippedMembers: skippedMembers(endpoint) }
  const nodesMax = answerNodesMax(endpoint)
  if (tap === null) {
    const limits = task === undefined && readsChatCompletions ? withoutSkipped : { nodesMax }
    return (yield* prepareAnswer(body, limits)) ? body : 'too_large'
  }
  const isRead = yield* prepareAnswer(body, { nodesMax, skippedMembers: tap.skippedMembers })
  if (!isRead) return 'too_large'
  const decoded = yield* decodedBy(tap, body)
  if (decoded === null) return 'malformed'
  const isNewText = Buffer.isBuffer(decoded) && decoded !== body
  return isNewText && !(yield* prepareAnswer(decoded, withoutSkipped)) ? 'too_large' : decoded
}

/** Null if the codec fails. */
function* decodedBy(tap: NativeTap, body: Buffer): Steps<Decoded | null> {
  try {
    return yield* asSteps<Decoded>(tap.decode(body))
  } catch {
    return null
  }
}

/** What the gateway meters of an answer, and the answer if it must be written for its client. */
export function summarize(
  read: Decoded,
  { endpoint, task }: RelayRequest,
  { contentType, upstreamModel, readsChatCompletions }: About,
): { answer: AnswerSummary; decoded: Answer | null } {
  if (!Buffer.isBuffer(read)) return { answer: summaryOf(read, upstreamModel), decoded: read }
  if (task !== undefined) return { answer: task.readAnswer(read, contentType), decoded: null }
  if (readsChatCompletions && isReadAtOnce(read)) {
    return { answer: passedSummary(endpoint, read, upstreamModel), decoded: null }
  }
  const json = jsonIn(read)
  const answer = readAnswer(endpoint, json, upstreamModel)
  const isTranslated = !readsChatCompletions && endpoint === 'chat' && answer.complete
  return { answer, decoded: isTranslated ? readChatAnswer(json) : null }
}

/** Most providers report the usage, so the long texts of an answer are only read to count them. */
const passedSummary = (endpoint: RelayEndpoint, body: Buffer, model: string): AnswerSummary =>
  readAnswer(endpoint, outlineOf(body), model, () => jsonIn(body))

type About = {
  readonly contentType: string
  readonly upstreamModel: string
  readonly readsChatCompletions: boolean
}
