import type { JsonRecord } from '../bytes/json-value.ts'
import { Once, type Steps } from '../bytes/steps.ts'
import { isRequestProblem, type RequestProblem } from '../errors/request-problem.ts'
import type { ChatForm, Message } from '../form/request.ts'
import { type MediaPart, mediaIn } from '../media/media-in.ts'
import type { TextEndpoint } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import { mediaOf } from '../tokens/attachments.ts'
import { problemOf } from './fields.ts'
import type { OutlinedBody } from './json-body.ts'
import { translatedRequest } from './openai-chat/read-head.ts'
import { writeChat } from './openai-chat/write-request.ts'

export type Translation = {
  /** Embeddings in OpenAI's form, or a chat; only its texts if there is an obstacle. */
  readonly given: JsonRecord | ChatForm
  /** Why no other API can express the request; null if one can. */
  readonly obstacle: RequestProblem | null
  /** Other messages take the place of those that need not be read; absent if all are read. */
  readonly isHead?: boolean
  /**
   * Reads the messages that a head leaves out; absent if the whole request is translated for them.
   * May throw `UnsupportedParameterError`.
   */
  readonly complete?: (() => Steps<ChatForm>) | undefined
}

/** Takes the place of a chat that ends with a message of the client. */
export const UNREAD: readonly Message[] = [{ role: 'user', blocks: [] }]

export type ReadTranslation = {
  readonly request: RelayRequest
  readonly obstacle: RequestProblem | null
  /** The client's request, whole if the lengths of its strings matter. */
  readonly source: JsonRecord
  readonly media: readonly MediaPart[]
}

type Options = {
  /** A head is enough for an outline. */
  readonly translate: (json: JsonRecord, isOutline: boolean) => Steps<Translation | RequestProblem>
  /** The values that may hold media; absent for the whole request. */
  readonly contents?: (json: JsonRecord) => unknown
  /** Upper bound on the bytes of the prompt, in any form. */
  readonly bytes: number
  readonly endpoint?: TextEndpoint
}

/**
 * Translates the outline of a request, which shows what the request is and what it may cost. The
 * whole request is translated when a provider of another dialect or the count of its prompt needs
 * it, and at once if it has media, because their lengths decide what they cost.
 */
export function* readTranslated(
  given: OutlinedBody,
  { translate, contents = (json) => json, bytes, endpoint = 'chat' }: Options,
): Steps<ReadTranslation | RequestProblem> {
  const { outline, whole, members } = given
  const head = yield* translate(outline, true)
  if (isRequestProblem(head)) return head
  const headJson = jsonOf(head)
  const headMedia = mediaOf(headJson)
  const outlined = mediaIn(contents(outline))
  const isWhole = members.longTexts.length === 0
  const hasMedia = outlined.length > 0 || headMedia.length > 0
  const needsWhole = hasMedia || (!isWhole && endpoint === 'embeddings')
  const source = needsWhole ? yield* whole.prepare() : outline
  const read = needsWhole ? yield* translate(source, false) : head
  if (isRequestProblem(read)) return read
  const { isHead = false, complete } = head
  const isComplete = needsWhole || (isWhole && !isHead)
  const translation = new Once(function* () {
    if (isComplete) return read
    const translated =
      isWhole && complete !== undefined
        ? yield* completed(complete)
        : yield* translate(yield* whole.prepare(), false)
    return isRequestProblem(translated) ? { given: read.given, obstacle: translated } : translated
  })
  const form = new Once(function* () {
    return formOf(yield* translation.prepare())
  })
  const json = read === head ? headJson : jsonOf(read)
  const request = translatedRequest(endpoint, {
    ...given,
    bytes,
    outline: json,
    attachments: read === head ? headMedia : mediaOf(json),
    whole: new Once(function* () {
      return jsonOf(yield* translation.prepare())
    }),
    form: endpoint === 'chat' ? form : undefined,
  })
  const { obstacle } = read
  if (isRequestProblem(request)) return obstacle ?? request
  const refusal = () => (obstacle === null ? translation.get().obstacle : obstacle)
  const media = needsWhole ? mediaIn(contents(source)) : outlined
  return { request: { ...request, refusal }, source, obstacle, media }
}

function* completed(
  complete: NonNullable<Translation['complete']>,
): Steps<Translation | RequestProblem> {
  try {
    return { given: yield* complete(), obstacle: null }
  } catch (error) {
    return problemOf(error)
  }
}

const isForm = (given: JsonRecord | ChatForm): given is ChatForm => 'settings' in given

const jsonOf = ({ given }: Translation): JsonRecord => (isForm(given) ? writeChat(given) : given)

function formOf({ given }: Translation): ChatForm {
  if (isForm(given)) return given
  throw new Error('embeddings are no chat')
}
