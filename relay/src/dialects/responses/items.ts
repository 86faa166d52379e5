import { isRecord, member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { NestedJson } from '../../nested-json.ts'
import type { Steps } from '../../steps.ts'
import { type FieldProblem, isFieldProblem, wrong } from '../fields.ts'
import { contentParts, plainText } from './parts.ts'
import { unseal } from './sealed.ts'

/** Consecutive items of the assistant, which form a single message. */
type Turn = {
  text: string
  /** The last item was a message, so the next text is a separate paragraph. */
  isAfterText: boolean
  reasoning: string
  readonly calls: JsonRecord[]
  readonly thoughts: JsonRecord[]
  readonly images: JsonRecord[]
  /** The provider's signature of the message. */
  extra: JsonRecord
}

type Conversation = {
  readonly messages: JsonRecord[]
  turn: Turn | null
  /** Images in tool results. Only a user message can show them. */
  readonly shown: JsonRecord[]
  /** By id of a tool call or image. */
  readonly signatures: Map<string, unknown>
  readonly nested: NestedJson
}

/** Built-in tools that the provider ran. Their items are not sent to other providers. */
const LEFT_OUT = /^(?:web_search_call|file_search_call|code_interpreter_call|mcp_|tool_search_)/

/** The instructions come first. Fails on the first field that OpenAI's form cannot express. */
export function* chatMessages(
  instructions: unknown,
  input: string | readonly unknown[],
): Steps<JsonRecord[] | FieldProblem> {
  const said: Conversation = {
    messages: [],
    turn: null,
    shown: [],
    signatures: new Map(),
    nested: new NestedJson(),
  }
  if (textOf(instructions) !== '') addSystem(said, textOf(instructions))
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  for (const [index, item] of items.entries()) {
    const problem = readItem(said, item, `input[${index}]`)
    if (problem !== null) return problem
    yield
  }
  endTurn(said)
  return said.messages
}

function readItem(said: Conversation, item: unknown, path: string): FieldProblem | null {
  if (!isRecord(item)) return wrong(path, 'must be an item')
  const type = item['type'] ?? 'message'
  switch (type) {
    case 'message':
      return readMessage(said, item, path)
    case 'function_call':
      return readCall(said, item, path, item['arguments'])
    case 'custom_tool_call':
      return readCall(said, item, path, JSON.stringify({ input: textOf(item['input']) }))
    case 'function_call_output':
    case 'custom_tool_call_output':
      return readResult(said, item, path)
    case 'reasoning':
      return readReasoning(said, item)
    case 'image_generation_call':
      return readPicture(said, item)
    case 'item_reference':
      return wrong(
        path,
        'refers to a stored item, but items are not stored here: send the item itself, as clients do with `store: false`',
      )
    default:
      return LEFT_OUT.test(textOf(type))
        ? null
        : wrong(`${path}.type`, `may not be '${textOf(type)}' here`)
  }
}

function readMessage(said: Conversation, item: JsonRecord, path: string): FieldProblem | null {
  const { role, content } = item
  const place = `${path}.content`
  switch (role) {
    case 'assistant': {
      const text = plainText(content, place)
      if (typeof text !== 'string') return text
      const turn = turnOf(said)
      turn.text += turn.isAfterText && turn.text !== '' ? `\n\n${text}` : text
      turn.isAfterText = true
      return null
    }
    case 'user': {
      const parts = contentParts(content, place)
      if (isFieldProblem(parts)) return parts
      endTurn(said)
      if (parts.length > 0) said.messages.push({ role, content: parts })
      return null
    }
    case 'system':
    case 'developer': {
      const text = plainText(content, place)
      if (typeof text !== 'string') return text
      endTurn(said)
      addSystem(said, text)
      return null
    }
    default:
      return wrong(`${path}.role`, "must be 'user', 'assistant', 'system' or 'developer'")
  }
}

/** Many models accept only a single system message. */
function addSystem({ messages }: Conversation, text: string): void {
  if (text === '') return
  const last = messages.at(-1)
  if (last?.['role'] !== 'system') messages.push({ role: 'system', content: text })
  else messages.splice(-1, 1, { ...last, content: `${textOf(last['content'])}\n\n${text}` })
}

function readCall(
  said: Conversation,
  item: JsonRecord,
  path: string,
  input: unknown,
): FieldProblem | null {
  const [id, name] = [textOf(item['call_id']), textOf(item['name'])]
  if (id === '' || name === '') return wrong(path, "must have a 'call_id' and a 'name'")
  const turn = turnOf(said)
  const signature = said.signatures.get(id)
  turn.calls.push({
    id,
    type: 'function',
    function: { name, arguments: textOf(input) || '{}' },
    ...(signature === undefined ? {} : { extra_content: signature }),
  })
  turn.isAfterText = false
  return null
}

/** An image without data, such as an unfinished image, is skipped. */
function readPicture(said: Conversation, item: JsonRecord): null {
  const data = textOf(item['result'])
  if (data === '') return null
  const turn = turnOf(said)
  const signature = said.signatures.get(textOf(item['id']))
  const format = textOf(item['output_format']) || 'png'
  turn.images.push({
    type: 'image_url',
    image_url: { url: `data:image/${format};base64,${data}` },
    ...(signature === undefined ? {} : { extra_content: signature }),
  })
  turn.isAfterText = false
  return null
}

function readResult(said: Conversation, item: JsonRecord, path: string): FieldProblem | null {
  const id = textOf(item['call_id'])
  if (id === '') return wrong(`${path}.call_id`, 'is missing')
  const parts = contentParts(item['output'], `${path}.output`)
  if (isFieldProblem(parts)) return parts
  endTurn(said, { isToolNext: true })
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => textOf(text))
  said.messages.push({ role: 'tool', tool_call_id: id, content: texts.join('\n') })
  said.shown.push(...parts.filter(({ type }) => type !== 'text'))
  return null
}

function readReasoning(said: Conversation, item: JsonRecord): null {
  const turn = turnOf(said)
  const texts = [...listOf(item['content']), ...listOf(item['summary'])]
  const text = texts.map((part) => textOf(member(part, 'text'))).find((piece) => piece !== '')
  turn.reasoning += text ?? ''
  for (const entry of unseal(item['encrypted_content'], said.nested)) readSealed(said, turn, entry)
  turn.isAfterText = false
  return null
}

function readSealed({ signatures }: Conversation, turn: Turn, entry: JsonRecord): void {
  switch (entry['type']) {
    case 'thinking':
    case 'redacted_thinking': {
      const after = { text: turn.text.length, tool_calls: turn.calls.length }
      const isFirst = after.text === 0 && after.tool_calls === 0
      turn.thoughts.push(isFirst ? entry : { ...entry, after })
      return
    }
    case 'tool_call':
    case 'image':
      signatures.set(textOf(entry['id']), entry['extra_content'])
      return
    case 'message':
      turn.extra = { extra_content: entry['extra_content'] }
  }
}

function turnOf(said: Conversation): Turn {
  if (said.turn === null) {
    show(said)
    said.turn = {
      text: '',
      isAfterText: false,
      reasoning: '',
      calls: [],
      thoughts: [],
      images: [],
      extra: {},
    }
  }
  return said.turn
}

/** Results of a turn's calls stay together; their media follow after the last result. */
function endTurn(said: Conversation, { isToolNext = false } = {}): void {
  const { turn, messages } = said
  said.turn = null
  if (turn !== null && (turn.text !== '' || turn.calls.length > 0 || turn.images.length > 0)) {
    const { text, calls, thoughts, images, reasoning, extra } = turn
    messages.push({
      role: 'assistant',
      content: text === '' ? null : text,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thoughts.length === 0 ? {} : { thinking_blocks: thoughts }),
      ...(images.length === 0 ? {} : { images }),
      ...extra,
    })
  }
  if (!isToolNext) show(said)
}

function show({ messages, shown }: Conversation): void {
  if (shown.length > 0) messages.push({ role: 'user', content: shown.splice(0) })
}
