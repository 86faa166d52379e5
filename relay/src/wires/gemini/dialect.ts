import { memoize } from '../../bytes/memoize.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { RequestProblem } from '../../errors/request-problem.ts'
import { type CipherFor, NO_CIPHER, NO_USER } from '../../form/content-cipher.ts'
import type { RelayRequest } from '../../relay-request.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { manyEmbeddingsAnswer, oneEmbeddingAnswer } from './embeddings/client.ts'
import { GEMINI_METHODS, type GeminiMethod, readGeminiRequest } from './read-request.ts'
import { ContentStreamEncoder } from './stream-encoder.ts'
import { generateContentAnswer } from './write-answer.ts'
import { errorOf } from './write-error.ts'
import { geminiModel } from './write-model.ts'

/*
 * Google's Gemini API for clients (https://ai.google.dev/api/generate-content).
 * Members may be in snake case too. The path names model and method, so each call has its own
 * dialect.
 *
 * | Request member | Becomes |
 * |---|---|
 * | systemInstruction | the first message |
 * | consecutive contents of one role | one message |
 * | text, inlineData | text, image_url, input_audio, file; text/* is text |
 * | fileData | image_url for images outside Google; else a file with its URI as file_id |
 * | functionCall, functionResponse | tool_calls, tool messages; without ids matched by name |
 * | media in a functionResponse | parts of the user message after it |
 * | thoughtSignature | `extra_content.google.thought_signature` of tool call, message or image |
 * | functionDeclarations | tools, with the schema as a JSON schema |
 * | functionCallingConfig | tool_choice; functions that are not allowed are omitted |
 * | maxOutputTokens, stopSequences, candidateCount, seed | max_tokens, stop, n, seed |
 * | temperature, topP, topK, penalties, logprobs | the same, in snake case |
 * | responseMimeType, responseSchema, responseJsonSchema | response_format |
 * | responseModalities with IMAGE | modalities |
 * | thinkingConfig | reasoning_effort; reasoning is returned only with includeThoughts |
 * | safetySettings | safety_settings, for Google's own models |
 * | taskType, title, outputDimensionality of embeddings | `task_type`, `title`, dimensions |
 * | executableCode, codeExecutionResult | blocks of code in the text |
 *
 * Parts of the history that no other API can express never fail a request, since clients send
 * them again each time. Results stand behind their calls (fit/pairs.ts).
 *
 * Omitted: reasoning of earlier answers, other parts of earlier contents, the mode VALIDATED,
 * `response` of a declaration, videoMetadata, mediaResolution, retrievalConfig, serviceTier,
 * labels, store.
 * Rejected: Google's built-in tools, cachedContent, text/x.enum, audio output, speechConfig,
 * imageConfig, and other parts of the last content.
 *
 * This applies to channels of other providers. Google's own channels get the client's request
 * (native-form.ts), and their answers pass through. Embeddings accept only texts.
 */

export type GeminiCall = {
  readonly model: string
  readonly method: GeminiMethod
  /** Streams are server-sent events (`alt=sse`), or else a single JSON array. */
  readonly asEvents: boolean
}

/** What nearly all clients of streams send. */
const SSE = 'alt=sse'

/**
 * The call that a path names (`/v1beta/models/{model}:{method}`, or under `/v1`); null for other
 * paths. `search` is the query without its question mark.
 */
export function geminiCallAt(path: string, search: string): GeminiCall | null {
  const called = calledAt(path)
  return called && { ...called, asEvents: isSse(search) }
}

/** A server asks more than once for the path of a request. */
const calledAt = memoize((path): Omit<GeminiCall, 'asEvents'> | null => {
  const resource = /^\/v1(?:beta)?\/models\/(.+)$/.exec(path)?.[1] ?? ''
  const colon = resource.lastIndexOf(':')
  const method = GEMINI_METHODS.find((name) => name === resource.slice(colon + 1))
  if (colon < 1 || method === undefined) return null
  return { model: decoded(resource.slice(0, colon)), method }
})

const isSse = (search: string) =>
  search === SSE || (search !== '' && new URLSearchParams(search).get('alt') === 'sse')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The dialect of one request. `call` is null for requests that call no model method. */
export function geminiDialect(call: GeminiCall | null, cipherFor: CipherFor): ClientDialect {
  const { model = '', method = 'generateContent', asEvents = false } = call ?? {}
  const isArray = method === 'streamGenerateContent' && !asEvents
  let includeThoughts = false
  let cipher = NO_CIPHER

  const read = function* (body: Buffer, owner = NO_USER): Steps<RelayRequest | RequestProblem> {
    cipher = cipherFor(owner)
    const { request, ...flags } = yield* readGeminiRequest(body, { model, method, cipher })
    includeThoughts = flags.includeThoughts
    return request
  }
  return {
    requestIdHeader: null,
    usagePaths: { answer: ['usageMetadata'], stream: ['usageMetadata'] },
    streamType: isArray ? 'application/json' : 'text/event-stream',
    readRequest: (_endpoint, body, _headers, owner) => read(body, owner),
    counting: { read, answer: (totalTokens) => ({ totalTokens }) },
    models: {
      formatOne: geminiModel,
      formatList: (models) => ({ models: models.map(geminiModel) }),
    },
    readsChatCompletions: false,
    passed: (body) => body,
    answer: (answer, charged) =>
      generateContentAnswer(answer, charged, { includeThoughts, cipher }),
    embeddings: method === 'embedContent' ? oneEmbeddingAnswer : manyEmbeddingsAnswer,
    error: (error) => {
      const { status, json } = errorOf(error)
      return { status, body: JSON.stringify(isArray ? [json] : json) }
    },
    createEncoder: () => new ContentStreamEncoder({ asEvents, includeThoughts, cipher }),
  }
}
