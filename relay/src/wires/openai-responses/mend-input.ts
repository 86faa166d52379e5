import {
  ifChanged,
  isRecord,
  type JsonRecord,
  listOf,
  mapItems,
  mapRecords,
  member,
  omit,
  omitAbsent,
  textOf,
} from '../../bytes/json-value.ts'
import { CallIds, withId } from '../../fit/ids.ts'
import { formerName } from '../../fit/names.ts'
import { ABORTED, toldResult } from '../../fit/pairs.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import { textsOf } from '../../form/request.ts'
import { imageAddress } from '../../media/data-url.ts'
import { wordSet } from '../../provider.ts'
import { argumentsText } from '../openai-chat/call-input.ts'
import { agentParts, outputValue } from './read-parts.ts'

const CALLS: ReadonlySet<unknown> = wordSet('function_call custom_tool_call')
const OUTPUTS: ReadonlySet<unknown> = wordSet('function_call_output custom_tool_call_output')
const NAMES = { pattern: /^[\w-]+$/, lengthMax: 64 }
const IDS = { pattern: /^/, lengthMax: 64 }
/** How ids of items begin; OpenAI refuses an id that another API gave. */
const ID_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['message', 'msg'],
  ['reasoning', 'rs'],
])

/**
 * The items as Responses demand them: an output of its kind for each call, a call for each output,
 * and no name or part that only another API has
 * (https://platform.openai.com/docs/api-reference/responses/create). OpenAI also refuses ids of
 * others. The same value if nothing changes.
 */
export function mendInput(input: unknown, isOpenai: boolean): unknown {
  if (!Array.isArray(input)) return input
  const given: readonly unknown[] = input
  const own = mapRecords(given, isOpenai ? withOwnId : itemForOthers)
  const accepted = mapRecords(own, acceptedItem)
  const items = accepted === own ? own : accepted.flat()
  const hasCalls = items.some((item) => isCall(item) || isOutput(item))
  return ifChanged(given, hasCalls ? withUniqueIds(paired(items)) : items)
}

const typeOf = (item: unknown) => textOf(member(item, 'type'))
const isCall = (item: unknown) => CALLS.has(member(item, 'type'))
const isOutput = (item: unknown) => OUTPUTS.has(member(item, 'type'))
const callIdOf = (item: unknown) => textOf(member(item, 'call_id'))

/** Only OpenAI knows what one agent tells another (router-for-me/CLIProxyAPI#5914). */
const itemForOthers = (item: JsonRecord): JsonRecord =>
  typeOf(item) === 'agent_message'
    ? { role: 'user', content: textsOf(agentParts(item['content'])).join('\n') }
    : withoutNulls(item)

/** OpenRouter refuses null as the content of reasoning, which Codex sends (openai/codex#12114). */
const withoutNulls = (item: JsonRecord) =>
  Object.values(item).includes(null) ? omitAbsent(item) : item

function withOwnId(item: JsonRecord): JsonRecord {
  const id = textOf(item['id'])
  const isForeign = id !== '' && !id.startsWith(ID_PREFIXES.get(typeOf(item)) ?? '')
  return isForeign ? omit(item, 'id') : item
}

/** The same item, or the items in its place. */
function acceptedItem(item: JsonRecord): unknown {
  if (isCall(item)) {
    const given = textOf(item['name'])
    if (given === '') return []
    const name = formerName(given, NAMES)
    const call = name === given ? item : { ...item, name }
    const { arguments: args } = call
    const isText = typeof args === 'string' || typeOf(item) === 'custom_tool_call'
    return isText ? call : { ...call, arguments: argumentsText(args) || '{}' }
  }
  if (isOutput(item)) {
    const given = outputValue(item['output'])
    const output = typeof given === 'string' ? given : acceptedParts(given, false)
    return output === item['output'] ? item : { ...item, output }
  }
  if (isUnknownSearch(item)) return []
  // Clients of Responses write all arguments as a text (farion1231/cc-switch#5062).
  if (typeOf(item) === 'tool_search_call' && typeof item['arguments'] === 'string')
    return { ...item, arguments: argumentsIn(item['arguments'], new NestedJson()) }
  const content = listOf(item['content'])
  if (item['role'] === undefined || content.length === 0) return item
  const parts = acceptedParts(content, item['role'] === 'assistant')
  if (parts === content) return item
  return parts.length === 0 ? [] : { ...item, content: parts }
}

/** Codex keeps actions that it does not know, and sends them as `other` (openai/codex#7073). */
const isUnknownSearch = ({ type, action }: JsonRecord): boolean =>
  type === 'web_search_call' &&
  isRecord(action) &&
  !/^(?:search|open_page|find_in_page)$/.test(textOf(action['type']))

const OF_MODEL = /^(?:output_text|refusal)$/

/** Messages of the assistant hold output texts and refusals only, and other messages neither. */
function acceptedParts(parts: readonly unknown[], isModel: boolean): readonly unknown[] {
  const accepted = parts.flatMap((part) => {
    const { type, text, refusal, image_url: image } = isRecord(part) ? part : {}
    if (!isModel && typeof image === 'string' && isRecord(part)) {
      const url = imageAddress(image)
      return [url === image ? part : { ...part, image_url: url }]
    }
    if (OF_MODEL.test(textOf(type)) === isModel) return [part]
    if (!isModel) return [{ type: 'input_text', text: textOf(text ?? refusal) }]
    return typeof text === 'string' ? [{ type: 'output_text', text }] : []
  })
  return ifChanged(parts, accepted)
}

/** An output belongs to the last call of its id. */
function paired(items: readonly unknown[]): readonly unknown[] {
  const waiting = new Map<string, unknown>()
  const calls = new Map<unknown, unknown>()
  for (const item of items) {
    if (isCall(item)) waiting.set(callIdOf(item), item)
    else if (isOutput(item)) {
      calls.set(item, waiting.get(callIdOf(item)))
      waiting.delete(callIdOf(item))
    }
  }
  const answered = new Set(calls.values())
  const changed = mapRecords(items, (item) => {
    if (isCall(item)) return answered.has(item) ? item : [item, outputOf(item)]
    if (!isOutput(item)) return item
    const call = calls.get(item)
    return call === undefined ? toldOutput(item) : withType(item, outputType(call))
  })
  return changed === items ? items : changed.flat()
}

const outputType = (call: unknown) => `${typeOf(call)}_output`

const outputOf = (call: unknown) => ({
  type: outputType(call),
  call_id: callIdOf(call),
  output: ABORTED,
})

const withType = (item: JsonRecord, type: string) =>
  item['type'] === type ? item : { ...item, type }

function toldOutput(item: JsonRecord): JsonRecord {
  const { output } = item
  const parts = listOf(output)
  const texts = parts.map((part) => textOf(member(part, 'text')))
  const text = toldResult(callIdOf(item), typeof output === 'string' ? output : texts.join('\n'))
  const media = parts.filter((part) => /^input_(?:image|file)$/.test(typeOf(part)))
  return { role: 'user', content: [{ type: 'input_text', text }, ...media] }
}

function withUniqueIds(items: readonly unknown[]): readonly unknown[] {
  const ids = new CallIds(IDS, { isUnique: true })
  return mapItems(items, (item) => {
    if (isCall(item)) return withId(item, 'call_id', (id) => ids.ofCall(id))
    return isOutput(item) ? withId(item, 'call_id', (id) => ids.ofResult(id)) : item
  })
}
