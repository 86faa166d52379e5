import { editAnswer, editMembers } from '../../bytes/json-members.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  omit,
  pick,
  textOf,
} from '../../bytes/json-value.ts'
import { memoize } from '../../bytes/memoize.ts'
import { blockData } from '../../bytes/sse.ts'
import type { Steps } from '../../bytes/steps.ts'
import { OPENAI_NAMES } from '../../cards/alphabets.ts'
import { cardFor } from '../../cards/card-of.ts'
import type { RequestProblem } from '../../errors/request-problem.ts'
import { type Adaptation, type Adaptations, noteSettings } from '../../fit/adaptations.ts'
import { hasForeignName } from '../../fit/names.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import { words } from '../../provider.ts'
import type { NativeForm, RelayRequest, NativeTarget } from '../../relay-request.ts'
import { FILE_TOKENS_MAX } from '../../tokens/attachments.ts'
import {
  billedInResponses,
  billedMembers,
  isExtraBody,
  namesOtherModels,
} from '../../usage/billed-features.ts'
import type { Usage } from '../../usage/usage.ts'
import type { ClientHeaders } from '../client-dialect.ts'
import type { OutlinedBody } from '../json-body.ts'
import { type NativeBounds, nativeBounds } from '../native-bounds.ts'
import type { ReadTranslation } from '../read-translated.ts'
import { ENCRYPTED_REASONING, isOwnContent } from './encrypted-content.ts'
import { mendInput } from './mend-input.ts'
import { isReasoning, nativeInput, withoutTools } from './native-input.ts'
import { isProviderRun, toolsOf } from './read-tools.ts'
import { OUTPUT_TOKENS_MIN } from './write-request.ts'
import { usageOf } from './write-response.ts'

type Asked = {
  readonly headers: ClientHeaders
  readonly obstacle: RequestProblem | null
  /** Features that are billed in addition to tokens may be used. */
  readonly allowsUnpriced: boolean
  /** Puts the items themselves in place of references to them. */
  readonly expand: (json: JsonRecord) => JsonRecord
  readonly cipher: ContentCipher
  readonly compacts: boolean
}

/** The client's request for channels that offer the Responses API. */
export function nativeForm(
  { body, members, outline, whole }: OutlinedBody,
  { headers, obstacle, allowsUnpriced, expand, cipher, compacts }: Asked,
): NativeForm {
  const billed = allowsUnpriced ? [] : billedMembers(outline)
  const isForProvider = providerItems(cipher)
  const dropsTools = !allowsUnpriced && toolsOf(outline).some(isProviderRun)
  const inputFor = (json: JsonRecord, target: NativeTarget, adaptations?: Adaptations) => {
    const { input } = expand(json)
    const own = allowsUnpriced ? input : withoutTools(input, isProviderRun)
    const fitted = nativeInput(own, target, cipher)
    const mended = mendInput(fitted.input, isOpenai(target.model))
    if (own !== input) adaptations?.note('tools')
    for (const loss of fitted.losses) adaptations?.note(loss)
    if (mended !== fitted.input) adaptations?.note('messages')
    return mended
  }
  const loses = isLossy(outline, allowsUnpriced, isForProvider)
  const hasForeignNames = hasForeignName(toolsOf(outline), OPENAI_NAMES)
  /** `prepare` and `encode` ask the same. */
  let [known, isChanged] = ['', false]
  const changesInput = (target: NativeTarget) => {
    const asked = `${target.model} ${target.dropsReasoning} ${target.dropsCompaction}`
    if (asked !== known) isChanged = inputFor(outline, target) !== outline['input']
    known = asked
    return isChanged
  }
  return {
    dialect: 'responses',
    obstacle,
    compacts,
    isLossy: loses,
    refusesNames: (model) => !loses && isOpenai(model) && hasForeignNames,
    hasReasoning: () => listOf(expand(outline)['input']).some(isReasoning),
    headers: forwardedHeaders(headers),
    losses: () => lossesOf(outline, isForProvider),
    prepare: (target) => (dropsTools || changesInput(target) ? whole.prepare() : null),
    encode: (target) => {
      const { model, outputLimit, adaptations } = target
      const limit = limitEdit(outline['max_output_tokens'], outputLimit)
      if (dropsTools) adaptations?.note('tools')
      if (billed.length > 0) adaptations?.note('other_members')
      if (typeof outline['max_output_tokens'] === 'number' && 'max_output_tokens' in limit)
        adaptations?.note('max_tokens')
      const hints = isOpenai(model) ? hintEdits(outline) : {}
      if (Object.keys(hints).length > 0) noteSettings(adaptations, pick(outline, ...HINTS), {})
      return editMembers(body, members, {
        ...settingEdits(outline),
        ...hints,
        ...Object.fromEntries(billed.map((name) => [name, null])),
        ...(dropsTools ? toolsEdit(whole.get()) : {}),
        ...includeEdit(outline, target),
        ...(changesInput(target)
          ? { input: JSON.stringify(inputFor(whole.get(), target, adaptations)) }
          : {}),
        ...(model === outline['model'] ? {} : { model: JSON.stringify(model) }),
        ...limit,
      })
    },
    withUsage,
  }
}

/** Other providers of Responses give ids of their own. */
const isOpenai = memoize((model) => cardFor({ model, channel: {} }, 'unknown').vendor === 'openai')

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

/** Hints of chat completions, which OpenAI refuses here (lobehub/lobehub#8163). */
function hintEdits(outline: JsonRecord): Record<string, string | null> {
  const { n, stream_options: options } = outline
  return {
    ...Object.fromEntries(HINTS.filter((name) => name in outline).map((name) => [name, null])),
    ...(n === 1 && { n: null }),
    ...(isRecord(options) && 'include_usage' in options && withoutUsage(options)),
  }
}

function withoutUsage(given: JsonRecord): Record<string, string | null> {
  const options = omit(given, 'include_usage')
  const isEmpty = Object.keys(options).length === 0
  return { stream_options: isEmpty ? null : JSON.stringify(options) }
}

const HINTS = words('seed presence_penalty frequency_penalty logit_bias')

/** Leaves out hosted tools, which applications name in every request. */
function toolsEdit(json: JsonRecord): Record<string, string | null> {
  const own = toolsOf(json).filter((tool) => !isProviderRun(tool))
  return { tools: own.length === 0 ? null : JSON.stringify(own) }
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

const isLossy = (json: JsonRecord, allowsUnpriced: boolean, isForProvider: ItemTest): boolean =>
  listOf(json['context_management']).length > 0 ||
  (allowsUnpriced && hostedTools(json).length > 0) ||
  listOf(json['input']).some(isForProvider)

const LOST_MEMBERS = ['context_management', 'max_tool_calls', 'truncation', 'service_tier'] as const
const DEFAULTS: ReadonlySet<unknown> = new Set([undefined, null, 'auto', 'default', 'disabled'])

function lossesOf(outline: JsonRecord, isForProvider: ItemTest): Adaptation[] {
  const isMemberLost = LOST_MEMBERS.some((name) => !DEFAULTS.has(outline[name]))
  return [
    ...(hostedTools(outline).length > 0 ? (['tools'] as const) : []),
    ...(isMemberLost ? (['other_members'] as const) : []),
    ...(listOf(outline['input']).some(isForProvider) ? (['messages'] as const) : []),
  ]
}

const HOSTED_CALLS = /^(?:web_search|file_search|code_interpreter|mcp|program)/

type ItemTest = (item: unknown) => boolean

/** Items that only the provider which made them can read. */
function providerItems(cipher: ContentCipher): ItemTest {
  const isForeign = (content: unknown) => textOf(content) !== '' && !isOwnContent(content, cipher)
  return (item) =>
    HOSTED_CALLS.test(textOf(member(item, 'type'))) || isForeign(member(item, 'encrypted_content'))
}

/** Whether the request leaves out tools or members, because the provider bills them apart. */
export const leavesOut = (outline: JsonRecord): boolean =>
  hostedTools(outline).length > 0 || billedMembers(outline).length > 0

function hostedTools(json: JsonRecord): readonly unknown[] {
  const hosted = toolsOf(json).filter(isProviderRun)
  for (const item of listOf(json['input'])) {
    for (const tool of toolsOf(item)) if (isProviderRun(tool)) hosted.push(tool)
  }
  return hosted
}

/** Upper bounds for any tokenizer, with the results of tools that the provider runs. */
export function responsesBounds(
  translated: ReadTranslation,
  allowsUnpriced: boolean,
): NativeBounds & Pick<RelayRequest, 'billed'> {
  const { request, source, obstacle } = translated
  const hosted = allowsUnpriced ? hostedTools(source) : []
  const bounds = nativeBounds(translated)
  const hasFiles = obstacle === null ? request.hasFiles : bounds.hasFiles
  return {
    ...bounds,
    promptTokensUpperBound: bounds.promptTokensUpperBound + hosted.length * FILE_TOKENS_MAX,
    hasFiles: hasFiles === true || hosted.length > 0,
    hasServerTools: hosted.length > 0,
    billed: allowsUnpriced ? billedInResponses(source, hosted) : [],
  }
}

const withUsage = (response: Buffer, usage: Usage): Steps<Buffer> =>
  editAnswer(response, { usage: JSON.stringify(usageOf(usage)) })

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
