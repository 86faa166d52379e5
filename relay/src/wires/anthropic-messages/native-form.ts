import { editAnswer, editMembers } from '../../bytes/json-members.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { memoize } from '../../bytes/memoize.ts'
import { blockData } from '../../bytes/sse.ts'
import { finish, type Steps } from '../../bytes/steps.ts'
import { ANTHROPIC_NAMES } from '../../cards/alphabets.ts'
import type { RequestProblem } from '../../errors/request-problem.ts'
import type { Adaptation } from '../../fit/adaptations.ts'
import { hasForeignName } from '../../fit/names.ts'
import { wordSet } from '../../provider.ts'
import type { NativeForm } from '../../relay-request.ts'
import { FILE_TOKENS_MAX } from '../../tokens/attachments.ts'
import { namesOtherModels } from '../../usage/billed-features.ts'
import type { Usage } from '../../usage/usage.ts'
import type { ClientHeaders } from '../client-dialect.ts'
import type { OutlinedBody } from '../json-body.ts'
import { type NativeBounds, nativeBounds } from '../native-bounds.ts'
import type { ReadTranslation } from '../read-translated.ts'
import { isClaude } from './foreign-signature.ts'
import { blocksOf } from './mend-messages.ts'
import { hasForeignHistory, historyEdits } from './native-history.ts'
import { usageOf } from './write-answer.ts'

/** Members that other APIs can express, and hints that it may omit. */
const TRANSLATED_MEMBERS = wordSet(`
  model messages system max_tokens stream temperature top_p top_k stop_sequences metadata tools
  tool_choice thinking output_config output_format cache_control service_tier
`)

/** Blocks that other APIs can express. */
const TRANSLATED_BLOCKS = wordSet(
  'text image document search_result thinking redacted_thinking tool_use tool_result compaction',
)

/** Hints that the typed form does not have. */
const hintsOf = (outline: JsonRecord) =>
  (['top_k', 'service_tier'] as const).filter((name) => (outline[name] ?? null) !== null)

function lossesOf(outline: JsonRecord): Adaptation[] {
  const isLost = (name: string) => !TRANSLATED_MEMBERS.has(name) && outline[name] !== null
  return [
    ...(providerTools(outline).length > 0 ? (['tools'] as const) : []),
    ...(Object.keys(outline).some(isLost) ? (['other_members'] as const) : []),
    ...(listOf(outline['messages']).some(hasOtherBlocks) ? (['messages'] as const) : []),
  ]
}

function hasOtherBlocks(source: unknown): boolean {
  return blocksOf(source).some(
    (block) => !TRANSLATED_BLOCKS.has(textOf(member(block, 'type'))) || hasOtherBlocks(block),
  )
}

export function nativeForm(
  { body, members, outline, whole }: OutlinedBody,
  { headers, obstacle }: { headers: ClientHeaders; obstacle: RequestProblem | null },
): NativeForm {
  const losses = lossesOf(outline)
  const hasForeignNames = hasForeignName(listOf(outline['tools']), ANTHROPIC_NAMES)
  const isForeign = memoize((model) => hasForeignHistory(outline, model))
  return {
    dialect: 'anthropic',
    obstacle,
    isLossy: losses.length > 0,
    refusesNames: (model) => losses.length === 0 && isClaude(model) && hasForeignNames,
    headers: forwardedHeaders(headers),
    losses: () => [...hintsOf(outline), ...losses],
    prepare: ({ model }) => (isForeign(model) ? whole.prepare() : null),
    encode: ({ model, outputLimit, adaptations }) => {
      const { max_tokens: given, stream } = outline
      const limit = Math.min(Number(given), outputLimit ?? Infinity)
      if (limit !== given) adaptations?.note('max_tokens')
      return editMembers(body, members, {
        ...(isForeign(model) ? historyEdits(whole.get(), model, adaptations) : {}),
        ...(model === outline['model'] ? {} : { model: JSON.stringify(model) }),
        ...(limit === given ? {} : { max_tokens: JSON.stringify(limit) }),
        ...(isUnneeded(outline) ? { tool_choice: null } : {}),
        // Other values count as false here, so the provider must not read them as true.
        ...(stream === undefined || typeof stream === 'boolean' ? {} : { stream: 'false' }),
      })
    },
    withUsage,
  }
}

/** Claude refuses a choice without tools. */
const isUnneeded = ({ tools, mcp_servers: servers, tool_choice: choice }: JsonRecord): boolean =>
  listOf(tools).length + listOf(servers).length === 0 &&
  /^(?:auto|none)$/.test(textOf(member(choice, 'type')))

const VERSION = /^\d{4}-\d\d-\d\d$/
const BETA = /^[a-z0-9][a-z0-9._-]{0,79}$/i
/** Betas that depend on the channel's key; clients may not set them. */
const CREDENTIAL_BETAS = /^oauth-/i
const BETAS_MAX = 32

/** The client's API version and betas. */
function forwardedHeaders(headers: ClientHeaders): Record<string, string> {
  const version = [headers['anthropic-version'] ?? []].flat().find((text) => VERSION.test(text))
  const betas = [headers['anthropic-beta'] ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => BETA.test(name) && !CREDENTIAL_BETAS.test(name))
  return {
    ...(version === undefined ? {} : { 'anthropic-version': version }),
    ...(betas.length === 0
      ? {}
      : { 'anthropic-beta': [...new Set(betas)].slice(0, BETAS_MAX).join(',') }),
  }
}

/** Tools of other types are built-in tools that the provider runs. */
export const isClientTool = ({ type }: JsonRecord) =>
  type === undefined || type === null || type === 'custom'

/** Where a member names another model (a tool that calls a model, a fallback); null for nowhere. */
export function otherModelAt(json: JsonRecord): string | null {
  for (const name in json) {
    if (name === 'messages') continue
    const value = json[name]
    const at = listOf(value).findIndex((item) => typeof member(item, 'model') === 'string')
    if (at !== -1) return `${name}.${at}.model`
    if (typeof member(value, 'model') === 'string') return `${name}.model`
    if (namesOtherModels(name) && [value ?? []].flat().length > 0) return name
  }
  return null
}

/** Built-in tools that the client runs. */
const CLIENT_RUN_TOOLS = /^(?:bash|computer|memory|text_editor)_/

const isServerTool = (tool: unknown) => !CLIENT_RUN_TOOLS.test(textOf(member(tool, 'type')))

const providerTools = ({ tools }: JsonRecord) =>
  listOf(tools).filter((tool) => isRecord(tool) && !isClientTool(tool))

/** Upper bounds for any tokenizer. A built-in tool's result is taken to be as long as a file. */
export function messagesBounds(translated: ReadTranslation): NativeBounds {
  const { source } = translated
  const runByProvider = [...providerTools(source), ...listOf(source['mcp_servers'])]
  const providerToolCount = runByProvider.length + (isRecord(source['container']) ? 1 : 0)
  const bounds = nativeBounds(translated)
  return {
    ...bounds,
    promptTokensUpperBound: bounds.promptTokensUpperBound + providerToolCount * FILE_TOKENS_MAX,
    hasFiles: providerToolCount > 0 || bounds.hasFiles === true,
    hasServerTools: runByProvider.some(isServerTool),
  }
}

const withUsage = (message: Buffer, usage: Usage): Steps<Buffer> =>
  editAnswer(message, { usage: JSON.stringify(usageOf(usage)) })

const MESSAGE_STOP = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n')

/** Completes the last events of a message: adds missing usage and a missing `message_stop`. */
export function nativeEnd(events: readonly Buffer[], usage: Usage | null): Buffer {
  const withMeteredUsage = events.map((event) => {
    if (usage === null || typeOf(event) !== 'message_delta') return event
    const data = finish(withUsage(blockData(event) ?? event, usage))
    return Buffer.concat([Buffer.from('event: message_delta\ndata: '), data, Buffer.from('\n\n')])
  })
  const hasStop = events.some((event) => typeOf(event) === 'message_stop')
  return Buffer.concat(hasStop ? withMeteredUsage : [...withMeteredUsage, MESSAGE_STOP])
}

const typeOf = (event: Buffer) => member(jsonIn(blockData(event) ?? event), 'type')
