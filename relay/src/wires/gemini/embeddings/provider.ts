import { jsonIn } from '../../../bytes/json-parse.ts'
import { isRecord, member, textOf } from '../../../bytes/json-value.ts'
import type { Steps } from '../../../bytes/steps.ts'
import { parameterError } from '../../../form/codec-errors.ts'
import { embeddingsAnswer } from '../../encode-vectors.ts'
import type { NativeRequest } from '../../native-codec.ts'
import type { EncodedCall, ProviderCall } from '../../provider-codec.ts'
import { googleHeaders, methodAddress, resourceOf } from '../address.ts'

/** OpenAI's limit. */
const TEXTS_MAX = 2048
/** The title is sent with each text. */
const TITLE_LENGTH_MAX = 1000

export function encodeEmbeddings(call: ProviderCall): EncodedCall {
  const { dimensions } = call.request
  const [task, title] = [textOf(call.request['task_type']), textOf(call.request['title'])]
  if (title.length > TITLE_LENGTH_MAX) {
    throw parameterError(`A title has at most ${TITLE_LENGTH_MAX} characters.`, 'title')
  }
  const options = {
    ...(typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {}),
    ...(task === '' ? {} : { taskType: task }),
    ...(title === '' ? {} : { title }),
  }
  const model = resourceOf(call.model)
  const requests = textsOf(call.request['input']).map((text) => ({
    model,
    content: { parts: [{ text }] },
    ...options,
  }))
  return embeddingsCall(
    call,
    { body: Buffer.from(JSON.stringify({ requests })), headers: {} },
    true,
  )
}

export function embeddingsCall(
  call: ProviderCall,
  { body, headers }: NativeRequest,
  isMany = Array.isArray(call.request['input']),
): EncodedCall {
  return {
    url: methodAddress(call, isMany ? 'batchEmbedContents' : 'embedContent'),
    headers: { ...headers, ...googleHeaders(call) },
    body,
  }
}

function textsOf(input: unknown): string[] {
  const given: unknown[] = Array.isArray(input) ? input : [input]
  if (given.length > TEXTS_MAX) {
    throw parameterError(`At most ${TEXTS_MAX} texts are embedded at once.`, 'input')
  }
  return given.map((text) => {
    if (typeof text === 'string') return text
    throw parameterError("'input' must be a text or texts with Gemini, not tokens.", 'input')
  })
}

/** Older models report no token count. */
export function decodeEmbeddings(body: Buffer, call: ProviderCall): Buffer | Steps<Buffer> {
  const answer = jsonIn(body)
  const one = member(answer, 'embedding')
  const embeddings = one === undefined ? member(answer, 'embeddings') : [one]
  const tokens = member(member(answer, 'usageMetadata'), 'promptTokenCount')
  if (!Array.isArray(embeddings) || !embeddings.every(isRecord)) return body
  const vectors = embeddings.map(({ values }) => values ?? [])
  return embeddingsAnswer(call, vectors, tokens)
}
