import { cardFor } from '../../cards/card-of.ts'
import { editMembers, scanAnswer } from '../../json-members.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'
import { OUTPUT_TOKENS_MIN } from '../../providers/openai-responses/request.ts'
import type { NativeForm, RelayRequest, NativeTarget } from '../../relay-request.ts'
import type { RequestProblem } from '../../request-problem.ts'
import { blockData } from '../../sse.ts'
import type { Steps } from '../../steps.ts'
import { billedMembers, isExtraBody, namesOtherModels } from '../../unpriced.ts'
import type { Usage } from '../../usage.ts'
import type { ClientHeaders } from '../client-dialect.ts'
import {
  hasFilesIn,
  mediaTokensUpperBound,
  type NativeBounds,
  textBounds,
} from '../native-bounds.ts'
import { FILE_TOKENS_MAX, maxAttachmentTokens } from '../openai/attachments.ts'
import type { JsonBody } from '../openai/json-body.ts'
import { ENCRYPTED_REASONING, isOwnSeal } from './encrypted-content.ts'
import { nativeInput, withoutTools } from './native-input.ts'
import { usageOf } from './response.ts'
import { isProviderRun, toolsOf } from './tools.ts'

type Asked = {
  readonly headers: ClientHeaders
  readonly obstacle: RequestProblem | null
  /** The request's input, in which the items themselves replace references to them. */
  readonly input: unknown
  /** Features that are billed in addition to tokens may be used. */
  readonly allowsUnpriced: boolean
}

/** The client's request for channels that offer the Responses API. */
export function nativeForm({ body, members, json }: JsonBody, asked: Asked): NativeForm {
  const { headers, obstacle, allowsUnpriced } = asked
  const input = allowsUnpriced ? asked.input : withoutTools(asked.input, isProviderRun)
  const edits = { ...settingEdits(json), ...(allowsUnpriced ? {} : unpricedEdits(json)) }
  return {
    dialect: 'responses',
    obstacle,
    isLossy: isLossy(json, allowsUnpriced),
    headers: forwardedHeaders(headers),
    encode: (target) => {
      const { model, outputLimit, dropsReasoning = false } = target
      const fitted = nativeInput(input, dropsReasoning)
      return editMembers(body, members, {
        ...edits,
        ...includeEdit(json, target),
        ...(fitted === json['input'] ? {} : { input: JSON.stringify(fitted) }),
        ...(model === json['model'] ? {} : { model: JSON.stringify(model) }),
        ...limitEdit(json['max_output_tokens'], outputLimit),
      })
    },
    withUsage,
  }
}

/** Nothing is stored at the provider, and no member names another model. */
function settingEdits(json: JsonRecord): Record<string, string | null> {
  const { store, stream } = json
  const others = Object.keys(json).filter((name) => namesOtherModels(name) || isExtraBody(name))
  return {
    ...Object.fromEntries(others.map((name) => [name, null])),
    ...(store === false ? {} : { store: 'false' }),
    // Other values count as false here, so the provider must not read them as true.
    ...(stream === undefined || typeof stream === 'boolean' ? {} : { stream: 'false' }),
  }
}

/** Leaves out hosted tools and dearer tiers, which applications name in every request. */
function unpricedEdits(json: JsonRecord): Record<string, string | null> {
  const tools = toolsOf(json)
  const own = tools.filter((tool) => !isProviderRun(tool))
  return {
    ...Object.fromEntries(billedMembers(json).map((name) => [name, null])),
    ...(own.length === tools.length
      ? {}
      : { tools: own.length === 0 ? null : JSON.stringify(own) }),
  }
}

/**
 * Reasoning that is not stored comes back only encrypted. Clients that rely on stored responses do
 * not ask for it.
 */
function includeEdit(
  { store, include }: JsonRecord,
  { model, cardOf }: NativeTarget,
): Record<string, string> {
  const given = listOf(include)
  const isReasoning = cardFor({ model, channel: { cardOf } }, 'unknown').reasoning.how !== 'none'
  if (store === false || !isReasoning || given.includes(ENCRYPTED_REASONING)) return {}
  return { include: JSON.stringify([...given, ENCRYPTED_REASONING]) }
}

function limitEdit(given: unknown, outputLimit = Infinity): Record<string, string> {
  const limit = Math.min(typeof given === 'number' ? given : Infinity, outputLimit)
  if (limit === Infinity || limit === given) return {}
  return { max_output_tokens: JSON.stringify(Math.max(limit, OUTPUT_TOKENS_MIN)) }
}

const FORWARDED = ['openai-beta', 'x-openai-internal-codex-responses-lite']
const HEADER_VALUE = /^[\w.=,; -]{1,200}$/

/** Headers that change how the provider reads the request. */
function forwardedHeaders(headers: ClientHeaders): Record<string, string> {
  return Object.fromEntries(
    FORWARDED.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' && HEADER_VALUE.test(value) ? [[name, value]] : []
    }),
  )
}

const isLossy = (json: JsonRecord, allowsUnpriced: boolean): boolean =>
  listOf(json['context_management']).length > 0 ||
  (allowsUnpriced && hostedTools(json).length > 0) ||
  listOf(json['input']).some(isForProvider)

const HOSTED_CALLS = /^(?:web_search|file_search|code_interpreter|mcp|program)/

/** Items that only the provider which made them can read. */
const isForProvider = (item: unknown): boolean =>
  HOSTED_CALLS.test(textOf(member(item, 'type'))) || isForeign(member(item, 'encrypted_content'))

const isForeign = (sealed: unknown) => textOf(sealed) !== '' && !isOwnSeal(sealed)

const hostedTools = (json: JsonRecord) =>
  [json, ...listOf(json['input'])].flatMap((source) => toolsOf(source)).filter(isProviderRun)

/** Upper bounds for any tokenizer, for the native form and the form of chat completions. */
export function nativeBounds(
  read: RelayRequest,
  { body, json }: JsonBody,
  { obstacle, input, allowsUnpriced }: Omit<Asked, 'headers'>,
): NativeBounds & Pick<RelayRequest, 'unpriced'> {
  const isExpanded = input !== json['input']
  const length = body.length + (isExpanded ? Buffer.byteLength(JSON.stringify(input)) : 0)
  const unread = { input: json['input'] }
  const media =
    obstacle === null ? maxAttachmentTokens(read.outline) : mediaTokensUpperBound(unread, false)
  const hosted = allowsUnpriced ? hostedTools(json) : []
  const [first] = hosted
  const bounds = textBounds(read, { body, json: unread }, obstacle)
  return {
    ...bounds,
    textBytesUpperBound: (bounds.textBytesUpperBound ?? 0) + length - body.length,
    promptTokensUpperBound:
      Math.max(read.promptTokensUpperBound, length + media) + hosted.length * FILE_TOKENS_MAX,
    hasFiles:
      read.hasFiles === true || hosted.length > 0 || (obstacle !== null && hasFilesIn(unread)),
    hasServerTools: hosted.length > 0,
    unpriced: first === undefined ? null : textOf(member(first, 'type')),
  }
}

function* withUsage(response: Buffer, usage: Usage): Steps<Buffer> {
  const members = yield* scanAnswer(response)
  if ('reason' in members) return response
  return editMembers(response, members, { usage: JSON.stringify(usageOf(usage)) })
}

/** Adds missing usage to the last event. */
export function nativeEnd(events: readonly Buffer[], usage: Usage | null): Buffer {
  if (usage === null) return Buffer.concat(events)
  return Buffer.concat(
    events.map((event) => {
      const json = jsonIn(blockData(event) ?? event)
      const response = member(json, 'response')
      if (!isRecord(json) || !isRecord(response)) return event
      const told = { ...response, usage: usageOf(usage) }
      const data = JSON.stringify({ ...json, response: told })
      return Buffer.from(`event: ${textOf(json['type'])}\ndata: ${data}\n\n`)
    }),
  )
}
