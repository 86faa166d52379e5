import { editMembers, scanMembersInSteps } from '../../bytes/json-members.ts'
import {
  isRecord,
  member,
  type JsonRecord,
  listOf,
  textOf,
  isIntegerIn,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { effortOfBudget } from '../../cards/nearest-effort.ts'
import { isRequestProblem, type RequestProblem } from '../../errors/request-problem.ts'
import { type ContentCipher, NO_CIPHER } from '../../form/content-cipher.ts'
import {
  lossMember,
  type Loss,
  type Settings,
  textForm,
  type Tool,
  type ToolChoice,
  cacheMarkOf,
} from '../../form/request.ts'
import type { TextEndpoint } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { billedInMessages } from '../../usage/billed-features.ts'
import type { ClientHeaders } from '../client-dialect.ts'
import { problemOf } from '../fields.ts'
import { disguisedMember, readChanged, readOutline } from '../json-body.ts'
import { textsIn } from '../native-bounds.ts'
import { OUTPUT_TOKENS_MAX } from '../openai-chat/check-fields.ts'
import { thinkingBudget } from '../openai-chat/read-head.ts'
import { readTranslated, type Translation } from '../read-translated.ts'
import { hiddenMember } from '../spelling.ts'
import { hasChatForm, withMessagesBlocks } from './chat-members.ts'
import { clientRunTool } from './client-tools.ts'
import { isClientTool, messagesBounds, nativeForm, otherModelAt } from './native-form.ts'
import { chatMessages, fieldError } from './read-messages.ts'

/** Members that decide the charge. */
const METERED = new Set(['model', 'messages', 'max_tokens', 'stream', 'tools'])

type ReadOptions = {
  readonly cipher: ContentCipher
  readonly headers?: ClientHeaders | undefined
  readonly endpoint?: TextEndpoint
}

/**
 * Reads a Messages request. Errors use the wording of the Messages API. The outline decides whether
 * another API can express it; the whole request is read only for a provider of another dialect, and
 * to count its prompt. A request that no other API can express keeps only its texts in the form,
 * and the native form states the obstacle.
 */
export function* readMessagesRequest(
  body: Buffer,
  { cipher, headers = {}, endpoint = 'chat' }: ReadOptions,
): Steps<RelayRequest | RequestProblem> {
  const options = { keepsBeginnings: true }
  const sent = yield* readOutline(body, options)
  if (isRequestProblem(sent)) return sent
  const isOwn = !hasChatForm(sent.outline)
  const given = isOwn ? sent : yield* readChanged(sent, withMessagesBlocks, options)
  if (isRequestProblem(given)) return given
  const { members, outline } = given
  const hidden = disguisedMember(members, METERED) ?? hiddenMember(outline, METERED)
  if (hidden !== null) return hidden
  let metered: Settings
  try {
    metered = meteredMembers(outline)
  } catch (error) {
    return problemOf(error)
  }
  const translated = yield* readTranslated(given, {
    endpoint,
    *translate(json, isHead) {
      const from = isHead ? listOf(json['messages']).length - 1 : 0
      const read = yield* translate(json, metered, { from, cipher: isHead ? NO_CIPHER : cipher })
      return { ...read, isHead }
    },
    contents: ({ system, messages }) => [system, messages],
    bytes: given.body.length + addedBytes(outline),
  })
  if (isRequestProblem(translated)) return translated
  const { request, obstacle } = translated
  return {
    ...request,
    ...messagesBounds(translated),
    thinkingBudget: thinkingBudget(member(outline['thinking'], 'budget_tokens')),
    billed: billedInMessages(outline),
    mayCompact: isRecord(outline['context_management']),
    native: nativeForm(given, { headers, obstacle }),
  }
}

function* translate(
  json: JsonRecord,
  metered: Settings,
  options: { from?: number; cipher: ContentCipher },
): Steps<Translation> {
  const losses = new Set<Loss>()
  const { system, messages: given } = json
  try {
    const messages = yield* chatMessages(system, listOf(given), { ...options, losses })
    checkChoice(json)
    const settings = { ...metered, ...settingMembers(json) }
    const form = { messages, tools: toolsOf(json), settings, ...lossMember(losses) }
    return { given: form, obstacle: null }
  } catch (error) {
    return { given: textForm(textsIn(json), metered), obstacle: problemOf(error) }
  }
}

/** Other models read the schemas of tools that Anthropic defines and the client runs. */
const addedBytes = ({ tools }: JsonRecord): number =>
  listOf(tools)
    .filter(isRecord)
    .flatMap((tool) => (isClientTool(tool) ? [] : clientRunTool(tool)))
    .reduce((sum, tool) => sum + JSON.stringify(tool).length, 0)

/** Adds the missing limit. Counting happens here; without an OpenAI form only texts are counted. */
export function* readCountRequest(
  body: Buffer,
  cipher: ContentCipher,
): Steps<RelayRequest | RequestProblem> {
  const members = yield* scanMembersInSteps(body)
  const whole = 'reason' in members ? body : editMembers(body, members, { max_tokens: '1' })
  return yield* readMessagesRequest(whole, { cipher })
}

/** Throws `UnsupportedParameterError`, as `checkChoice` does. */
function meteredMembers(json: JsonRecord): Settings {
  const { model, max_tokens: maxTokens, messages, stream } = json
  if (typeof model !== 'string' || model === '') throw fieldError('model', 'Field required')
  if (!isIntegerIn(maxTokens, 1, OUTPUT_TOKENS_MAX)) {
    throw fieldError('max_tokens', `Input should be an integer from 1 to ${OUTPUT_TOKENS_MAX}`)
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    throw fieldError('messages', 'Input should be a list with at least one message')
  }
  const other = otherModelAt(json)
  if (other !== null) throw fieldError(other, 'Only the model of the request can be used')
  return {
    model,
    max_tokens: maxTokens,
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  }
}

function settingMembers(json: JsonRecord): Partial<Settings> {
  const { temperature, top_p, stop_sequences } = json
  const stop = listOf(stop_sequences).filter((text) => typeof text === 'string')
  const user = textOf(member(json['metadata'], 'user_id'))
  const { cacheMark } = cacheMarkOf(json)
  return {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof top_p === 'number' ? { top_p } : {}),
    ...(stop.length === 0 ? {} : { stop }),
    ...(user === '' ? {} : { user }),
    ...choiceMembers(json),
    ...effortMember(json),
    ...formatMember(json),
    ...(cacheMark === undefined ? {} : { cache_control: cacheMark }),
  }
}

/** Tools that the provider runs are omitted. */
const clientTools = (tools: unknown): JsonRecord[] =>
  listOf(tools)
    .filter(isRecord)
    .flatMap((tool): JsonRecord[] => (isClientTool(tool) ? [tool] : clientRunTool(tool)))

function checkChoice({ tools, tool_choice: choice }: JsonRecord): void {
  const { type, name } = isRecord(choice) ? choice : {}
  if (type !== 'tool' || clientTools(tools).some((tool) => tool['name'] === name)) return
  throw fieldError('tool_choice.name', `The tool '${textOf(name)}' cannot be offered here`)
}

function toolsOf({ tools }: JsonRecord): Tool[] {
  for (const [at, tool] of listOf(tools).entries()) checkTool(tool, `tools.${at}`)
  return clientTools(tools).map(functionOf)
}

function checkTool(tool: unknown, path: string): void {
  if (!isRecord(tool)) throw fieldError(path, 'Input should be an object')
  if (isClientTool(tool) && textOf(tool['name']) === '') {
    throw fieldError(`${path}.name`, 'Field required')
  }
}

function choiceMembers({ tools, tool_choice: choice }: JsonRecord): Partial<Settings> {
  if (clientTools(tools).length === 0) return {}
  const isAlone = member(choice, 'disable_parallel_tool_use') === true
  const chosen = choiceOf(choice)
  return {
    ...(chosen === null ? {} : { tool_choice: chosen }),
    ...(isAlone ? { parallel_tool_calls: false } : {}),
  }
}

function functionOf(tool: JsonRecord): Tool {
  const { name, description, input_schema: parameters, strict } = tool
  return {
    type: 'function',
    name: textOf(name),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isRecord(parameters) ? { parameters } : {}),
    ...(strict === true ? { strict } : {}),
    ...cacheMarkOf(tool),
  }
}

function choiceOf(choice: unknown): ToolChoice | null {
  switch (member(choice, 'type')) {
    case 'auto':
      return 'auto'
    case 'none':
      return 'none'
    case 'any':
      return 'required'
    case 'tool':
      return { type: 'function', name: textOf(member(choice, 'name')) }
    default:
      return null
  }
}

/** Disabled thinking takes precedence over an effort, and a named effort over a budget. */
function effortMember({ thinking, output_config: outputConfig }: JsonRecord): Partial<Settings> {
  if (member(thinking, 'type') === 'disabled') return { reasoning_effort: 'none' }
  const effort = textOf(member(outputConfig, 'effort'))
  if (effort !== '') return { reasoning_effort: effort === 'max' ? 'xhigh' : effort }
  switch (member(thinking, 'type')) {
    case 'enabled': {
      const budget = member(thinking, 'budget_tokens')
      return { reasoning_effort: typeof budget === 'number' ? effortOfBudget(budget) : 'high' }
    }
    case 'adaptive':
      return { reasoning_effort: 'medium' }
    default:
      return {}
  }
}

/** Older clients send the format at the top level (beta structured-outputs-2025-11-13). */
function formatMember({
  output_config: config,
  output_format: older,
}: JsonRecord): Partial<Settings> {
  const format = member(config, 'format') ?? older
  if (member(format, 'type') !== 'json_schema') return {}
  const json_schema = { name: 'answer', schema: member(format, 'schema'), strict: true }
  return { response_format: { type: 'json_schema', json_schema } }
}
