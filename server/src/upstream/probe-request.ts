import type { TestEndpoint } from '@tollgate/contract'
import {
  type AnswerSummary,
  finish,
  formType,
  isRequestProblem,
  isTaskEndpoint,
  type JsonRecord,
  jsonIn,
  type ModelCard,
  newBoundary,
  readAnswer,
  readTask,
  type RelayEndpoint,
  writeForm,
} from '@tollgate/relay'
import { silence } from './silence.ts'

/** A small request to an endpoint, and how its answer is read. */
export type ProbeRequest = {
  readonly endpoint: RelayEndpoint
  readonly stream: boolean
  readonly contentType: string
  readonly bytes: Buffer
  readonly json: JsonRecord
  readonly readAnswer: (body: Buffer, contentType: string) => AnswerSummary
  /** The answer is worthless without usage, which the gateway does not count for this endpoint. */
  readonly needsUsage: boolean
}

const OUTPUT_TOKENS = 16
const PROMPT = 'hi'
const IMAGE_PROMPT = 'A white square'

/** Voices that makers know in place of OpenAI's. */
const VOICES: readonly (readonly [RegExp, string])[] = [
  [/gemini/i, 'Kore'],
  [/^speech-0\d/i, 'English_expressive_narrator'],
  [/cosyvoice2/i, 'FunAudioLLM/CosyVoice2-0.5B:alex'],
  [/qwen/i, 'Cherry'],
  [/orpheus/i, 'troy'],
  [/playai/i, 'Fritz-PlayAI'],
]
const DEFAULT_VOICE = 'alloy'

type Asked = { readonly model: string; readonly stream: boolean; readonly card: ModelCard }

export function probeRequest(endpoint: TestEndpoint, asked: Asked): ProbeRequest {
  // Codecs translate a chat to Responses.
  const path = endpoint === 'responses' ? 'chat' : endpoint
  if (path === 'transcriptions') return transcriptRequest(asked)
  const json = bodyOf(path, asked)
  const bytes = Buffer.from(JSON.stringify(json))
  return requestOf({ endpoint: path, stream: asked.stream, json, bytes, contentType: JSON_TYPE })
}

const JSON_TYPE = 'application/json'

type Body = Pick<ProbeRequest, 'endpoint' | 'stream' | 'json' | 'bytes' | 'contentType'>

function requestOf(body: Body): ProbeRequest {
  const { endpoint, bytes, contentType } = body
  if (!isTaskEndpoint(endpoint)) {
    const read = (answer: Buffer) => readAnswer(endpoint, jsonIn(answer))
    return { ...body, readAnswer: read, needsUsage: true }
  }
  const task = finish(readTask(endpoint, bytes, contentType))
  if (isRequestProblem(task)) throw new Error(`a test request is invalid: ${task.message}`)
  return { ...body, readAnswer: task.task.readAnswer, needsUsage: false }
}

function bodyOf(endpoint: RelayEndpoint, { model, stream, card }: Asked): JsonRecord {
  switch (endpoint) {
    case 'embeddings':
    case 'moderations':
      return { model, input: PROMPT }
    case 'rerank':
      return { model, query: PROMPT, documents: ['hello', 'a stone'] }
    case 'ocr':
      return { model, document: { type: 'image_url', image_url: WHITE_IMAGE } }
    case 'images':
      // The cheapest image of models that make images of tokens; others refuse the member.
      return { model, prompt: IMAGE_PROMPT, n: 1, ...(/gpt-image/.test(model) ? LOW : {}) }
    case 'speech':
      return { model, input: 'Hi', voice: voiceOf(model), response_format: 'wav' }
    case 'completions':
      return { model, prompt: PROMPT, max_tokens: OUTPUT_TOKENS }
    default:
      return {
        model,
        messages: [{ role: 'user', content: PROMPT }],
        [card.limits.outputMember]: OUTPUT_TOKENS,
        ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      }
  }
}

/** An empty page of 64 × 64 pixels. */
const WHITE_IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAEklEQVR42mP4DwUMo4xRBukMAOPT/hAC2mzjAAAAAElFTkSuQmCC'

const LOW = { quality: 'low' }

const voiceOf = (model: string) =>
  VOICES.find(([family]) => family.test(model))?.[1] ?? DEFAULT_VOICE

function transcriptRequest({ model }: Asked): ProbeRequest {
  const boundary = newBoundary()
  const file = { name: 'test.wav', type: 'audio/wav' }
  const parts = [
    { name: 'model', file: null, bytes: Buffer.from(model) },
    { name: 'file', file, bytes: silence() },
  ]
  const bytes = writeForm(parts, boundary)
  const contentType = formType(boundary)
  return requestOf({ endpoint: 'transcriptions', stream: false, json: {}, bytes, contentType })
}
