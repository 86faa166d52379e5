import {
  editMembers,
  type Members,
  scanAnswer,
  scanMembers,
  normalizeFieldName,
} from '../../bytes/json-members.ts'
import { isRecord, type JsonRecord, listOf, parseJson } from '../../bytes/json-value.ts'
import { blockData } from '../../bytes/sse.ts'
import { finish, type Steps } from '../../bytes/steps.ts'
import { cardFor } from '../../cards/card-of.ts'
import { problem, type RequestProblem } from '../../errors/request-problem.ts'
import type { Adaptation, Adaptations } from '../../fit/adaptations.ts'
import { wordSet } from '../../provider.ts'
import type { NativeForm, NativeTarget } from '../../relay-request.ts'
import {
  maxAttachmentTokens,
  FILE_TOKENS_MAX,
  GEMINI_TOKENS_MAX,
} from '../../tokens/attachments.ts'
import type { Usage } from '../../usage/usage.ts'
import { membersProblem, type OutlinedBody } from '../json-body.ts'
import { type NativeBounds, nativeBounds } from '../native-bounds.ts'
import type { ReadTranslation } from '../read-translated.ts'
import { resourceOf } from './address.ts'
import { readField, snakeCase } from './fields.ts'
import { mendContents } from './mend-contents.ts'
import { fittedContents } from './signed-contents.ts'
import { usageMetadata } from './write-answer.ts'

const CONFIG = 'generationconfig'
const LIMIT = 'maxoutputtokens'

const findMember = ({ list }: Members, name: string) =>
  list.find((member) => normalizeFieldName(member.name) === name)

/** Members that decide the charge, by their plain names. */
const METERED: ReadonlyMap<string, string> = new Map(
  ['contents', 'model', 'generationConfig', 'maxOutputTokens', 'candidateCount'].map((name) => [
    normalizeFieldName(name),
    name,
  ]),
)

/** A member that Google could read differently: under both names, or in another spelling. */
export function ambiguousMember({ body, members }: OutlinedBody): RequestProblem | null {
  const config = findMember(members, CONFIG)
  const configMembers = config && scanMembers(body.subarray(config.valueStart, config.end))
  if (configMembers !== undefined && 'reason' in configMembers) {
    return configMembers.reason === 'not_object' ? null : membersProblem(configMembers)
  }
  for (const { list } of [members, ...(configMembers === undefined ? [] : [configMembers])]) {
    const names = list.map(({ name }) => normalizeFieldName(name))
    const twice = list.find((_member, at) => names.indexOf(names[at] ?? '') < at)
    if (twice !== undefined) return membersProblem({ reason: 'duplicate', name: twice.name })
    const disguised = list.find(({ name }) => isDisguised(name))
    if (disguised !== undefined) return disguisedProblem(disguised.name)
  }
  return null
}

function isDisguised(name: string): boolean {
  const proper = METERED.get(normalizeFieldName(name))
  return proper !== undefined && name !== proper && name !== snakeCase(proper)
}

const disguisedProblem = (name: string) =>
  problem(`Unknown member '${name}': write '${METERED.get(normalizeFieldName(name)) ?? ''}'.`, name)

/** Members that other APIs can express, and hints that it may omit. */
const TRANSLATED_MEMBERS = wordSet(`
  contents systeminstruction tools toolconfig safetysettings generationconfig model labels
  servicetier store
`)

/** Parts that other APIs can express, by their plain names. */
const TRANSLATED_PARTS = wordSet(
  'text thought thoughtsignature inlinedata filedata functioncall functionresponse',
)

const hasOtherParts = (json: JsonRecord): boolean =>
  listOf(readField(json, 'contents')).some((content) =>
    listOf(readField(content, 'parts')).some(
      (part) => isRecord(part) && !Object.keys(part).every(isTranslatedPart),
    ),
  )

const isTranslatedPart = (name: string) => TRANSLATED_PARTS.has(normalizeFieldName(name))

export function nativeForm(
  { body, members, outline, whole }: OutlinedBody,
  obstacle: RequestProblem | null,
): NativeForm {
  const contentsFor = (
    json: JsonRecord,
    { model, cardOf }: NativeTarget,
    adaptations?: Adaptations,
  ) => {
    const given = listOf(json['contents'])
    const mended = mendContents(given)
    const { tools } = cardFor({ model, channel: { cardOf } }, 'google')
    const fitted = fittedContents(mended, tools.signsCalls)
    if (mended !== given) adaptations?.note('messages')
    if (fitted !== null) adaptations?.note('reasoning')
    return fitted ?? (mended === given ? null : mended)
  }
  const changesContents = (target: NativeTarget) => contentsFor(outline, target) !== null
  const losses = lossesOf(outline)
  return {
    dialect: 'gemini',
    obstacle,
    isLossy: losses.length > 0,
    headers: {},
    losses: () => [...hintsOf(outline), ...losses],
    prepare: (target) => (changesContents(target) ? whole.prepare() : null),
    encode: (target) => {
      const { model, outputLimit, adaptations } = target
      const { model: named } = outline
      const isNamed = named !== undefined && named !== resourceOf(model)
      const contents = changesContents(target)
        ? contentsFor(whole.get(), target, adaptations)
        : null
      if (lowersLimit(outline, outputLimit)) adaptations?.note('max_tokens')
      return editMembers(body, members, {
        ...(contents === null ? {} : { contents: JSON.stringify(contents) }),
        ...(isNamed ? { model: JSON.stringify(resourceOf(model)) } : {}),
        ...(outputLimit === undefined ? {} : limitEdit(body, members, outputLimit)),
      })
    },
    withUsage,
  }
}

const hintsOf = (outline: JsonRecord) =>
  readField(outline, 'serviceTier') === undefined ? [] : (['service_tier'] as const)

function lossesOf(outline: JsonRecord): Adaptation[] {
  const isLost = (name: string) =>
    !TRANSLATED_MEMBERS.has(normalizeFieldName(name)) && outline[name] !== null
  return [
    ...(Object.keys(outline).some(isLost) ? (['other_members'] as const) : []),
    ...(hasOtherParts(outline) ? (['messages'] as const) : []),
  ]
}

function lowersLimit(outline: JsonRecord, limit = Infinity): boolean {
  const given = readField(readField(outline, 'generationConfig'), 'maxOutputTokens')
  return typeof given === 'number' && limit < given
}

/** The configuration with an output limit: the lower of `limit` and the client's own. */
function limitEdit(body: Buffer, members: Members, limit: number): Record<string, string> {
  const config = findMember(members, CONFIG)
  if (config === undefined) return { generationConfig: limitOnly(limit) }
  const value = body.subarray(config.valueStart, config.end)
  const configMembers = scanMembers(value)
  if ('reason' in configMembers) return { [config.name]: limitOnly(limit) }
  const own = findMember(configMembers, LIMIT)
  const given: unknown = own && parseJson(value.toString('utf8', own.valueStart, own.end))
  const lower = typeof given === 'number' ? Math.min(given, limit) : limit
  const edits = { [own?.name ?? 'maxOutputTokens']: JSON.stringify(lower) }
  return { [config.name]: editMembers(value, configMembers, edits).toString('utf8') }
}

const limitOnly = (maxOutputTokens: number) => JSON.stringify({ maxOutputTokens })

/**
 * Upper bounds for any tokenizer, for the native and the OpenAI form. Cached content shares a
 * context window with files; content that tools read is added. A search or code execution adds at
 * most `FILE_TOKENS_MAX`.
 */
export function contentBounds(translated: ReadTranslation): NativeBounds {
  const { request, source, obstacle } = translated
  const bounds = nativeBounds(translated, true)
  const { promptTokensUpperBound: bytes } = bounds
  // Google's own model reads a file to the end of its window, whatever the client's name for it.
  const fileTokens =
    obstacle === null && request.hasFiles === true
      ? maxAttachmentTokens(request.outline, { isGemini: true }) -
        maxAttachmentTokens(request.outline)
      : 0
  const providerTools = providerToolsIn(source)
  const toolTokens = providerTools.reduce(
    (sum, name) => sum + (SMALL_RESULT_TOOLS.has(name) ? FILE_TOKENS_MAX : GEMINI_TOKENS_MAX),
    0,
  )
  const isCached = readField(source, 'cachedContent') !== undefined
  const hasOwnFiles = bounds.hasFiles === true
  const cached = isCached && !hasOwnFiles ? GEMINI_TOKENS_MAX : 0
  return {
    ...bounds,
    promptTokensUpperBound: bytes + Math.max(0, fileTokens) + toolTokens + cached,
    hasFiles: providerTools.length > 0 || isCached || hasOwnFiles,
  }
}

const FUNCTION_DECLARATIONS = 'functiondeclarations'
/** Google gives the model excerpts of these results. Other tools may read whole pages and files. */
const SMALL_RESULT_TOOLS = new Set([
  'googlesearch',
  'googlesearchretrieval',
  'enterprisewebsearch',
  'googlemaps',
  'codeexecution',
])

/** Built-in tools that Google runs, by their plain names. */
const providerToolsIn = (json: JsonRecord): string[] =>
  // Google accepts a single item in place of a list.
  [readField(json, 'tools') ?? []]
    .flat()
    .flatMap((tool) => Object.keys(isRecord(tool) ? tool : {}).map(normalizeFieldName))
    .filter((name) => name !== FUNCTION_DECLARATIONS)

function* withUsage(answer: Buffer, usage: Usage): Steps<Buffer> {
  const members = yield* scanAnswer(answer)
  if ('reason' in members) return answer
  const name = findMember(members, 'usagemetadata')?.name ?? 'usageMetadata'
  return editMembers(answer, members, { [name]: JSON.stringify(usageMetadata(usage)) })
}

/** The last events of an answer, with missing usage added to the last event. */
export function withUsageAtEnd(events: readonly Buffer[], usage: Usage | null): readonly Buffer[] {
  const last = events.findLastIndex((event) => blockData(event) !== null)
  if (usage === null || last === -1) return events
  return events.map((event, at) => {
    const data = at === last ? blockData(event) : null
    if (data === null) return event
    const whole = finish(withUsage(data, usage))
    return Buffer.concat([Buffer.from('data: '), whole, Buffer.from('\r\n\r\n')])
  })
}
