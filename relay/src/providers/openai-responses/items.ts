import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { pairCalls } from '../../fit/pairs.ts'
import { inOrder } from '../../form/position.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'
import { readStoredReasoning, STORED_REASONING } from './reasoning.ts'

type Input = { readonly instructions: string; readonly items: JsonRecord[] }

/** Two messages of one answer are two paragraphs of its text. */
export const PARAGRAPH = '\n\n'

/**
 * The leading system messages become the instructions, unless all of them must be items. Throws
 * `UnsupportedParameterError`.
 */
export function inputOf(
  messages: readonly unknown[],
  { model, hasInstructions }: { model: string; hasInstructions: boolean },
): Input {
  const paired = pairCalls(messages.filter(isRecord))
  const first = paired.findIndex((message) => !isSystem(message))
  // The input may not be empty.
  const leading = hasInstructions && first !== -1 ? paired.slice(0, first) : []
  const customCalls = customCallsOf(paired)
  const items = paired
    .slice(leading.length)
    .flatMap((message, index) =>
      itemsOf(message, { path: `messages.${leading.length + index}`, model, customCalls }),
    )
  return { instructions: leading.map(spokenText).join(PARAGRAPH), items }
}

const isSystem = ({ role }: JsonRecord) => role === 'system' || role === 'developer'

/** Ids of calls whose input is a text; their results have a type of their own. */
const customCallsOf = (messages: readonly JsonRecord[]): ReadonlySet<string> =>
  new Set(
    messages
      .flatMap((message) => listOf(message['tool_calls']))
      .filter((call) => isRecord(member(call, 'custom')))
      .map((call) => textOf(member(call, 'id'))),
  )

type Context = {
  readonly path: string
  readonly model: string
  readonly customCalls: ReadonlySet<string>
}

function itemsOf(message: JsonRecord, context: Context): JsonRecord[] {
  const { path, customCalls } = context
  switch (message['role']) {
    case 'system':
    case 'developer':
      return [{ role: 'developer', content: spokenText(message) }]
    case 'user':
      return [{ role: 'user', content: contentOf(message['content'], `${path}.content`) }]
    case 'assistant':
      return assistantItems(message, context)
    case 'tool': {
      const id = textOf(message['tool_call_id'])
      const type = customCalls.has(id) ? 'custom_tool_call_output' : 'function_call_output'
      return [{ type, call_id: id, output: contentOf(message['content'], `${path}.content`) }]
    }
    default:
      throw new UnsupportedParameterError(
        `'${path}.role' must be one of system, developer, user, assistant and tool.`,
        `${path}.role`,
      )
  }
}

function spokenText({ content, refusal }: JsonRecord): string {
  if (!Array.isArray(content)) return textOf(content) || textOf(refusal)
  return content.map((part) => textOf(member(part, textMemberOf(part)))).join('')
}

const textMemberOf = (part: unknown) => (member(part, 'type') === 'refusal' ? 'refusal' : 'text')

function contentOf(content: unknown, path: string): string | JsonRecord[] {
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part, index) => partOf(part, `${path}.${index}`))
}

function partOf(part: unknown, path: string): JsonRecord {
  switch (member(part, 'type')) {
    case 'text':
    case 'refusal':
      return { type: 'input_text', text: textOf(member(part, textMemberOf(part))) }
    case 'image_url': {
      const image = member(part, 'image_url')
      const detail = textOf(member(image, 'detail'))
      return {
        type: 'input_image',
        image_url: textOf(isRecord(image) ? image['url'] : image),
        ...(detail === '' ? {} : { detail }),
      }
    }
    case 'file': {
      const file = member(part, 'file')
      return { type: 'input_file', ...(isRecord(file) ? file : {}) }
    }
    default:
      throw new UnsupportedParameterError(
        `'${path}' is a part that the Responses API does not take: it takes text, image_url and file.`,
        path,
      )
  }
}

/** Reasoning items stand where they were, before the message or call that they led to. */
function assistantItems(message: JsonRecord, { path, model }: Context): JsonRecord[] {
  const text = spokenText(message)
  const calls = listOf(message['tool_calls']).map((call, index) =>
    callItem(call, `${path}.tool_calls.${index}`),
  )
  const stored = readStoredReasoning(message[STORED_REASONING], model)
  const items = inOrder({
    textBetween: (start, end) => spokenItems(text.slice(start, end), start > 0),
    calls,
    reasoning: stored.map(({ item, after }) => ({ items: [item], after })),
  })
  const last = items.findLastIndex(({ type }) => type !== 'reasoning')
  // Reasoning without the item that it led to is refused.
  return items.slice(0, last + 1)
}

/** A later message of an answer begins with the end of a paragraph. */
function spokenItems(piece: string, isLater: boolean): JsonRecord[] {
  const content = isLater && piece.startsWith(PARAGRAPH) ? piece.slice(PARAGRAPH.length) : piece
  return content === '' ? [] : [{ role: 'assistant', content }]
}

function callItem(call: unknown, path: string): JsonRecord {
  const id = textOf(member(call, 'id'))
  const custom = member(call, 'custom')
  if (isRecord(custom)) {
    const { name, input } = custom
    return { type: 'custom_tool_call', call_id: id, name, input: textOf(input) }
  }
  const named = member(call, 'function')
  const name = textOf(member(named, 'name'))
  if (name === '') {
    throw new UnsupportedParameterError(`'${path}' must be the call of a function.`, path)
  }
  const input = member(named, 'arguments')
  const text = isRecord(input) ? JSON.stringify(input) : textOf(input)
  return { type: 'function_call', call_id: id, name, arguments: text }
}
