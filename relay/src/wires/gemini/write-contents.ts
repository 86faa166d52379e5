import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { ModelCard, ToolRules } from '../../cards/model-card.ts'
import type { Adaptations } from '../../fit/adaptations.ts'
import { googleSignature, NO_SIGNATURE, signed } from '../../fit/google-signatures.ts'
import { withNamedMedia } from '../../fit/media.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ToolCall,
  type ToolResult,
  withoutSeals,
  CONTINUE_TEXT,
} from '../../form/request.ts'
import { contentPart, contentParts, isContent, textParts } from './write-parts.ts'

export type Content = { readonly role: 'user' | 'model'; readonly parts: JsonRecord[] }

export type Conversation = {
  /** All system messages, wherever they are. */
  readonly system: JsonRecord[]
  /** Roles alternate, and the user is first. */
  readonly contents: Content[]
}

type Context = Pick<ToolRules, 'signsCalls'> & {
  /** Names of called functions by the id of the call. */
  readonly names: ReadonlyMap<string, string>
  readonly nested: NestedJson
  /** For tool results, with a limit of its own. A result beyond the limit stays text. */
  readonly nestedResults: NestedJson
}

/** Each result follows its call. */
export function conversationOf(
  given: readonly Message[],
  { tools: { signsCalls } }: ModelCard,
  adaptations?: Adaptations,
): Conversation {
  const messages = withNamedMedia(given, isContent, adaptations)
  const system: JsonRecord[] = []
  const contents: Content[] = []
  const names = new Map(messages.flatMap(callsOf).map(({ id, name }) => [id, name]))
  const nested = new NestedJson()
  const context = { signsCalls, names, nested, nestedResults: new NestedJson() }
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    switch (message.role) {
      case 'system':
        system.push(...contentParts(message.blocks, `${path}.content`))
        break
      case 'user':
        addContent(contents, 'user', contentParts(message.blocks, `${path}.content`))
        break
      case 'assistant':
        addContent(contents, 'model', assistantParts(message, path, context))
        break
      case 'tool':
        addContent(contents, 'user', resultParts(message, path, context))
        break
    }
  }
  if (contents[0]?.role !== 'user')
    contents.unshift({ role: 'user', parts: textParts(CONTINUE_TEXT) })
  return { system, contents: contents.map(withResponsesFirst) }
}

const isResponse = (part: JsonRecord) => 'functionResponse' in part

function withResponsesFirst(content: Content): Content {
  const responses = content.parts.filter(isResponse)
  if (responses.length === 0) return content
  const others = content.parts.filter((part) => !isResponse(part))
  return { ...content, parts: [...responses, ...others] }
}

function addContent(contents: Content[], role: Content['role'], parts: JsonRecord[]): void {
  const last = contents.at(-1)
  if (last?.role === role) last.parts.push(...parts)
  else if (parts.length > 0) contents.push({ role, parts })
}

/** Calls come last. The signature of the text belongs to its last part. */
function assistantParts(message: AssistantMessage, path: string, context: Context): JsonRecord[] {
  const blocks = withoutSeals(message.blocks)
  const lastText = blocks.findLastIndex(({ type }) => type === 'text')
  const said = blocks.flatMap((block, index): JsonRecord[] => {
    if (block.type === 'tool-call') return []
    const signature =
      block.type === 'image' ? block.signature : index === lastText ? message.signature : undefined
    return contentPart(block, `${path}.content.${index}`).map((part) =>
      signed(part, googleSignature(signature)),
    )
  })
  const calls = callsOf(message).map((call, index) =>
    functionCall(call, { isFirst: index === 0, ...context }),
  )
  return [...said, ...calls]
}

type Place = Context & { readonly isFirst: boolean }

/** Only the first of parallel calls is signed, and it must be. */
function functionCall(
  { id, name, input, isCustom = false, signature }: ToolCall,
  { isFirst, signsCalls, nested }: Place,
): JsonRecord {
  const args = isCustom ? { input } : argumentsIn(input, nested)
  const own = signsCalls && id !== '' ? { id } : {}
  const lost = signsCalls && isFirst ? NO_SIGNATURE : ''
  return signed({ functionCall: { ...own, name, args } }, googleSignature(signature) || lost)
}

function resultParts(
  { callId, blocks }: ToolResult,
  path: string,
  { names, signsCalls, nestedResults }: Context,
): JsonRecord[] {
  const name = names.get(callId) ?? ''
  const parts = contentParts(blocks, `${path}.content`)
  const texts = parts.filter((part) => 'text' in part).map((part) => textOf(part['text']))
  const others = parts.filter((part) => !('text' in part))
  const given = signsCalls && callId !== '' ? { id: callId } : {}
  const functionResponse = { ...given, name, response: responseOf(texts.join(''), nestedResults) }
  return [{ functionResponse }, ...others]
}

/** A function response must be an object. */
function responseOf(text: string, results: NestedJson): JsonRecord {
  const json = results.parse(text)
  return isRecord(json) ? json : { result: text }
}
