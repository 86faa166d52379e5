import { isRecord, type JsonRecord, textOf } from '../../json-value.ts'
import { signatureMember } from '../../providers/google-gemini/signatures.ts'
import type { Steps } from '../../steps.ts'
import { given, listGiven, refused } from './fields.ts'
import { messageParts, type PlacedPart, placedParts } from './parts.ts'
import { WaitingCalls } from './waiting-calls.ts'

/** Consecutive contents of one role. Clients keep each chunk of a stream as a content. */
type Turn = { readonly role: 'user' | 'model'; readonly parts: PlacedPart[] }

/** The system instruction comes first. Throws `UnsupportedParameterError`. */
export function* chatMessages(request: JsonRecord): Steps<JsonRecord[]> {
  const contents = listGiven(request, 'contents')
  if (contents.length === 0) throw refused('contents', 'must have at least one content.')
  const calls = new WaitingCalls()
  const said = systemMessage(given(request, 'systemInstruction'))
  const turns = yield* turnsOf(contents)
  for (const { role, parts } of turns) {
    const messages = role === 'model' ? modelMessage(parts, calls) : userMessages(parts, calls)
    for (const message of messages) said.push(message)
    yield
  }
  return said
}

function systemMessage(instruction: unknown): JsonRecord[] {
  if (instruction === undefined) return []
  const parts = placedParts(instruction, 'systemInstruction')
  const content = parts.flatMap(messageParts)
  const other = content.findIndex(({ type }) => type !== 'text')
  if (other !== -1) throw refused('systemInstruction', 'must be text.')
  return content.length === 0 ? [] : [{ role: 'system', content }]
}

function* turnsOf(contents: readonly unknown[]): Steps<Turn[]> {
  const turns: Turn[] = []
  for (const [index, content] of contents.entries()) {
    const path = `contents.${index}`
    const role = roleOf(given(content, 'role'), `${path}.role`)
    const last = turns.at(-1)
    const turn = last?.role === role ? last : { role, parts: [] }
    if (turn !== last) turns.push(turn)
    for (const part of placedParts(content, path)) turn.parts.push(part)
    yield
  }
  return turns
}

/** Old clients send function results in a role of their own; a single question needs no role. */
function roleOf(role: unknown, path: string): Turn['role'] {
  switch (role ?? '') {
    case 'model':
      return 'model'
    case '':
    case 'user':
    case 'function':
      return 'user'
    default:
      throw refused(path, 'must be user or model.')
  }
}

/** Function results come first, each as its own message. Their media follow in a user message. */
function userMessages(parts: readonly PlacedPart[], calls: WaitingCalls): JsonRecord[] {
  const results: JsonRecord[] = []
  const content: JsonRecord[] = []
  for (const placed of parts) {
    const { part, path } = placed
    const response = given(part, 'functionResponse')
    if (response === undefined) {
      content.push(...messageParts(placed))
      continue
    }
    const place = `${path}.functionResponse`
    results.push(resultMessage(response, place, calls))
    content.push(...placedParts(response, place).flatMap(messageParts))
  }
  return [...results, ...(content.length === 0 ? [] : [{ role: 'user', content }])]
}

function resultMessage(result: unknown, path: string, calls: WaitingCalls): JsonRecord {
  const name = textOf(given(result, 'name'))
  if (name === '') throw refused(`${path}.name`, 'must be the name of the function.')
  const response = given(result, 'response') ?? {}
  if (!isRecord(response)) throw refused(`${path}.response`, 'must be an object.')
  const id = calls.answered(textOf(given(result, 'id')), name)
  if (id === null) throw refused(path, 'must follow a call of its function.')
  return { role: 'tool', tool_call_id: id, content: JSON.stringify(response) }
}

type Said = { text: string; signature: string; images: JsonRecord[]; calls: JsonRecord[] }

function modelMessage(parts: readonly PlacedPart[], waiting: WaitingCalls): JsonRecord[] {
  const said: Said = { text: '', signature: '', images: [], calls: [] }
  for (const placed of parts) readModelPart(said, placed, waiting)
  const { text, signature, images, calls } = said
  if (text === '' && images.length === 0 && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(images.length === 0 ? {} : { images }),
      ...signatureMember(signature),
    },
  ]
}

/** Reasoning summaries are for people and are dropped. The model gets its signature back. */
function readModelPart(said: Said, placed: PlacedPart, waiting: WaitingCalls): void {
  const { part, path } = placed
  if (given(part, 'thought') === true) return
  const signature = textOf(given(part, 'thoughtSignature'))
  const call = given(part, 'functionCall')
  if (call !== undefined) {
    said.calls.push({
      ...toolCall(call, `${path}.functionCall`, waiting),
      ...signatureMember(signature),
    })
    return
  }
  const [content] = messageParts(placed)
  const type = content?.['type']
  if (type === 'image_url') {
    said.images.push({ ...content, ...signatureMember(signature) })
    return
  }
  if (content !== undefined && type !== 'text') {
    throw refused(
      path,
      'is a part that a model cannot have said: text, an image or a functionCall.',
    )
  }
  said.text += textOf(content?.['text'])
  if (signature !== '') said.signature = signature
}

function toolCall(call: unknown, path: string, waiting: WaitingCalls): JsonRecord {
  const name = textOf(given(call, 'name'))
  if (name === '') throw refused(`${path}.name`, 'must be the name of the function.')
  const args = given(call, 'args') ?? {}
  if (!isRecord(args)) throw refused(`${path}.args`, 'must be an object.')
  const id = waiting.called(textOf(given(call, 'id')), name)
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}
