import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import { words } from '../provider.ts'
import type { FinishedAnswer, MeasureContext } from '../relay-request.ts'
import { countText } from '../tokens/count-text.ts'
import type { AnswerSummary } from '../usage/answer-summary.ts'
import { NO_USAGE, parseUsage, type Usage } from '../usage/usage.ts'
import {
  checkBoolean,
  checkInteger,
  invalid,
  missing,
  wrongType,
} from '../wires/openai-chat/check-fields.ts'
import { readJsonTask, summaryIn, type TaskTerms } from './json-task.ts'
import type { TaskReader } from './task.ts'
import { tokensForUnits, usageForUnits } from './units.ts'

/*
 * Reranking orders documents by how well they answer a query. Jina and Cohere use nearly the same
 * request and response formats; clients get the members of both.
 */

const DOCUMENTS_MAX = 10_000
/**
 * Upper bound for the prompt template around each compared pair. Providers' own templates have
 * about 60 tokens.
 */
const FRAME_TOKENS_MAX = 128
const IMAGE_TOKENS_MAX = 8192
/**
 * Cohere: a search is a query with up to 100 documents. A document of more than 500 tokens counts
 * as several.
 */
const DOCUMENTS_PER_SEARCH = 100
const CHUNK_BYTES = 2000
/** The query takes up part of each chunk, and a token has at least one byte. */
const CHUNK_BYTES_MIN = 250

type RerankRequest = {
  readonly query: string
  readonly documents: readonly string[]
  readonly tokensMax: number
  readonly searchesMax: number
}

export const readRerank: TaskReader = (endpoint, body) =>
  readJsonTask(
    { endpoint, body },
    {
      metered: words('query documents top_n return_documents rank_fields instruction instruct'),
      check: checkRerank,
      terms: ({ json }, model) => termsOf(model, readRequest(json)),
    },
  )

function checkRerank({
  query,
  documents,
  top_n,
  return_documents,
}: JsonRecord): RequestProblem | null {
  if (query === undefined || query === null || query === '') {
    return missing('query', 'Say what the documents are to be compared with')
  }
  if (typeof query !== 'string' && !isRecord(query)) {
    return wrongType('query', 'a string, or an object with a text or an image')
  }
  if (documents === undefined || documents === null) {
    return missing('documents', 'Give the documents to be put in order')
  }
  const isList =
    Array.isArray(documents) &&
    documents.every((item) => typeof item === 'string' || isRecord(item))
  if (!isList) return wrongType('documents', 'an array of strings or of objects')
  if (documents.length === 0 || documents.length > DOCUMENTS_MAX) {
    return invalid('documents', `must have from 1 to ${DOCUMENTS_MAX} items`)
  }
  return (
    checkInteger(top_n, 'top_n', 0, DOCUMENTS_MAX) ??
    checkBoolean(return_documents, 'return_documents')
  )
}

function readRequest(json: JsonRecord): RerankRequest {
  const list = listOf(json['documents'])
  const query = textToRank(json['query'])
  const isRanked = listOf(json['rank_fields']).length > 0
  const documents = list.map((item) => (isRanked ? fullText(item) : textToRank(item)))
  const instruction = textOf(json['instruction']) + textOf(json['instruct'])
  const bytes = list.map((item) => Buffer.byteLength(fullText(item)))
  const perPair =
    Buffer.byteLength(query) +
    Buffer.byteLength(instruction) +
    imageTokens(json['query']) +
    FRAME_TOKENS_MAX
  const chunks = bytes.map((length) => 1 + Math.ceil(length / CHUNK_BYTES_MIN))
  return {
    query,
    documents,
    tokensMax: perPair * list.length + sum(bytes) + sum(list.map(imageTokens)),
    searchesMax: Math.ceil(sum(chunks) / DOCUMENTS_PER_SEARCH),
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

const textToRank = (item: unknown): string => textOf(member(item, 'text')) || fullText(item)

/** Every member of an object may be compared (Cohere's `rank_fields`). */
const fullText = (item: unknown): string => (isRecord(item) ? JSON.stringify(item) : textOf(item))

const imageTokens = (item: unknown) =>
  isRecord(item) && typeof item['text'] !== 'string' ? IMAGE_TOKENS_MAX : 0

/** Cohere bills its models by the search, and by the token from the fifth version on. */
export const isPricedPerSearch = (model: string) =>
  /^(?:cohere\/)?rerank-(?:v[1-4]\b|english|multilingual)/.test(model)

function termsOf(model: string, request: RerankRequest): TaskTerms {
  return {
    ...boundsOf(model, request),
    boundsFor: (upstream) => boundsOf(pricedAs(model, upstream), request),
    readAnswer: (body) => readAnswer(body, model, request),
    measure: (answer, context) =>
      measure(answer, request, { ...context, model: pricedAs(model, context.model) }),
    finish: finishAnswer,
  }
}

/** Prices by the requested model name. An unknown name is priced as the provider's model. */
const pricedAs = (model: string, upstream: string) => (isPricedPerSearch(model) ? model : upstream)

function boundsOf(model: string, { tokensMax, searchesMax: count }: RerankRequest) {
  const promptTokensUpperBound = isPricedPerSearch(model)
    ? tokensForUnits({ unit: 'search', count })
    : tokensMax
  return { promptTokensUpperBound, outputLimit: 0 }
}

function readAnswer(body: Buffer, model: string, request: RerankRequest): AnswerSummary {
  const json = jsonIn(body)
  const results = listOf(member(json, 'results'))
  const isWhole = results.length > 0 && results.every(isResult)
  return summaryIn(json, isWhole, usageIn(json, model, request))
}

/**
 * Null if searches are reported for an unknown model name: `measure` then knows the provider's
 * name.
 */
function usageIn(json: unknown, model: string, request: RerankRequest): Usage | null {
  const searches = reportedSearches(json, request)
  if (isPricedPerSearch(model)) return searches
  return searches === null ? reportedTokens(json) : null
}

const isResult = (item: unknown) =>
  Number.isInteger(member(item, 'index')) && typeof member(item, 'relevance_score') === 'number'

/** Capped at the most searches the request can need. */
function reportedSearches(json: unknown, { searchesMax }: RerankRequest): Usage | null {
  const units = member(member(member(json, 'meta'), 'billed_units'), 'search_units')
  if (typeof units !== 'number' || !(units > 0)) return null
  return usageForUnits({ unit: 'search', count: Math.min(Math.ceil(units), searchesMax) })
}

/** Jina reports only a total. SiliconFlow reports tokens where Cohere does. */
function reportedTokens(json: unknown): Usage | null {
  const usage = member(json, 'usage')
  const meta = member(json, 'meta')
  const total = { prompt_tokens: member(usage, 'total_tokens') }
  return (
    parseUsage(usage) ??
    parseUsage(total) ??
    parseUsage(member(meta, 'tokens')) ??
    parseUsage(member(meta, 'billed_units'))
  )
}

async function measure(
  answer: Buffer | null,
  request: RerankRequest,
  context: MeasureContext,
): Promise<Usage> {
  const { query, documents, tokensMax } = request
  const json = answer === null ? null : jsonIn(answer)
  const { model } = context
  if (isPricedPerSearch(model)) {
    const chunks = documents.map((text) => 1 + Math.floor(Buffer.byteLength(text) / CHUNK_BYTES))
    const count = Math.ceil(sum(chunks) / DOCUMENTS_PER_SEARCH)
    return reportedSearches(json, request) ?? usageForUnits({ unit: 'search', count })
  }
  const reported = reportedTokens(json)
  if (reported !== null) {
    if (reported.promptTokens <= tokensMax && reported.completionTokens <= FRAME_TOKENS_MAX)
      return reported
    context.onImplausible?.(reported)
  }
  const queryTokens = await countText(model, query, context)
  const counted = await countText(model, documents.join('\n'), context)
  return {
    ...NO_USAGE,
    promptTokens: Math.min(queryTokens * documents.length + counted, tokensMax),
  }
}

/** Adds the members that clients of Jina and Cohere expect, if they are missing. */
function finishAnswer(
  answer: Buffer,
  { usage, model, id }: { usage: Usage; model: string; id: string },
): FinishedAnswer {
  const json = jsonIn(answer)
  if (!isRecord(json)) return { body: answer, form: 'json' }
  const { promptTokens: tokens, measured } = usage
  const billed = { billed_units: { search_units: measured?.count } }
  const usageMember =
    measured === undefined ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {}
  const meta = measured === undefined ? {} : { meta: billed }
  const results = listOf(json['results']).map(withDocument)
  const body = Buffer.from(JSON.stringify({ id, model, ...usageMember, ...meta, ...json, results }))
  return { body, form: 'json' }
}

/** Some providers return the document as a string, others as an object with the text. */
function withDocument(result: unknown): unknown {
  const text = member(result, 'document')
  return isRecord(result) && typeof text === 'string' ? { ...result, document: { text } } : result
}
