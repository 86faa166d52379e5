import { jsonIn, readJson } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import { writeJson } from '../bytes/json-write.ts'
import { blockData } from '../bytes/sse.ts'
import { asSteps, type Steps } from '../bytes/steps.ts'
import type { Alphabet } from '../cards/model-card.ts'
import type { Answer, Decoded } from '../form/answer.ts'
import { dataEvent, type StreamDecoder } from '../form/chat-chunk.ts'
import type { StreamEvent } from '../form/events.ts'
import { callsOf, type ChatForm, type Message, type ToolChoice } from '../form/request.ts'
import { digestOf } from './digest.ts'

/** The provider's names of tools by the client's; empty if the provider accepts every name. */
export type Renames = ReadonlyMap<string, string>

export const NO_RENAMES: Renames = new Map()
const DIGEST_LENGTH = 10

/**
 * Names outside the alphabet get another name. Which name does not depend on the order of the
 * tools, so a cached prompt stays valid. Names that only the history has come last.
 */
export function toolRenames(
  { tools, messages }: Pick<ChatForm, 'tools' | 'messages'>,
  alphabet: Alphabet,
): Renames {
  const called = messages.flatMap(callsOf).map(({ name }) => name)
  if (tools.length + called.length === 0) return NO_RENAMES
  const declared = new Set(tools.map(({ name }) => name))
  const isForeign = (name: string) => name !== '' && !fits(name, alphabet)
  const foreign = [...declared].filter(isForeign)
  const former = new Set(called.filter((name) => !declared.has(name) && isForeign(name)))
  if (foreign.length + former.size === 0) return NO_RENAMES
  const renames = new Map<string, string>()
  const taken = new Set([...declared, ...called])
  const sharers = new Map<string, number>()
  for (const name of foreign) {
    const wanted = plainName(name, alphabet)
    sharers.set(wanted, (sharers.get(wanted) ?? 0) + 1)
  }
  for (const name of foreign) {
    const wanted = plainName(name, alphabet)
    const isShared = taken.has(wanted) || sharers.get(wanted) !== 1
    const needsDigest = isShared || wanted.length > alphabet.lengthMax
    renames.set(name, needsDigest ? withDigest(name, alphabet) : wanted)
  }
  for (const name of former) renames.set(name, withDigest(name, alphabet))
  return renames
}

/** Whether one of the tools has a name that the alphabet lacks. */
export const hasForeignName = (tools: readonly unknown[], alphabet: Alphabet): boolean =>
  tools.some((tool) => nameIn(tool) !== '' && !fits(nameIn(tool), alphabet))

/** By the list of tools, which is asked for several times. */
const chatNames = new WeakMap<object, { readonly alphabet: Alphabet; readonly renames: Renames }>()

/** New names of the tools of chat completions. */
export function chatRenames({ tools }: JsonRecord, alphabet: Alphabet): Renames {
  if (!Array.isArray(tools)) return NO_RENAMES
  const known = chatNames.get(tools)
  if (known?.alphabet === alphabet) return known.renames
  const names = tools.map((tool: unknown) => {
    const [definition] = KINDS.flatMap((kind) => member(tool, kind) ?? [])
    return { type: 'function' as const, name: nameIn(definition) }
  })
  const renames = toolRenames({ tools: names, messages: [] }, alphabet)
  chatNames.set(tools, { alphabet, renames })
  return renames
}

/** The name of an earlier call in the alphabet. */
export const formerName = (name: string, alphabet: Alphabet): string =>
  fits(name, alphabet) ? name : withDigest(name, alphabet)

export const fits = (name: string, { pattern, lengthMax }: Alphabet) =>
  name.length <= lengthMax && pattern.test(name)

/** A letter or an underscore may be first in every alphabet. */
function plainName(name: string, { pattern }: Alphabet): string {
  if (pattern.test(name)) return name
  const plain = name.replaceAll(/[^\w-]/g, '_')
  return pattern.test(plain) ? plain : `_${plain}`
}

function withDigest(name: string, alphabet: Alphabet): string {
  const length = Math.min(alphabet.lengthMax, 64) - DIGEST_LENGTH - 1
  return `${plainName(name, alphabet).slice(0, length)}_${digestOf(name, DIGEST_LENGTH)}`
}

/**
 * Claude and Gemini refuse two tools of one name (anthropics/claude-code#14199). Toolsets of MCP
 * have none. The same list if nothing changes.
 */
export function uniqueTools<Tool>(
  tools: readonly Tool[],
  nameOf: (tool: Tool) => unknown,
): readonly Tool[] {
  if (tools.length < 2) return tools
  const byName = new Map(tools.map((tool) => [nameOf(tool) ?? tool, tool]))
  return byName.size === tools.length ? tools : [...byName.values()]
}

/** The request with the provider's names; the same object if nothing changes. */
export function withToolNames(form: ChatForm, renames: Renames): ChatForm {
  if (renames.size === 0) return form
  const renamed = <Named extends { readonly name: string }>(one: Named): Named => {
    const name = renames.get(one.name)
    return name === undefined ? one : { ...one, name }
  }
  const choice = form.settings.tool_choice
  return {
    tools: form.tools.map(renamed),
    messages: form.messages.map((message) => renamedMessage(message, renamed)),
    settings:
      typeof choice === 'object'
        ? { ...form.settings, tool_choice: renamedChoice(choice, renamed) }
        : form.settings,
  }
}

type Rename = <Named extends { readonly name: string }>(one: Named) => Named

const renamedChoice = (choice: Exclude<ToolChoice, string>, renamed: Rename): ToolChoice =>
  choice.type === 'allowed_tools'
    ? { ...choice, tools: choice.tools.map(renamed) }
    : renamed(choice)

function renamedMessage(message: Message, renamed: Rename): Message {
  if (message.role === 'tool') return renamed(message)
  if (message.role !== 'assistant') return message
  const blocks = message.blocks.map((block) =>
    block.type === 'tool-call' ? renamed(block) : block,
  )
  return { ...message, blocks }
}

/** A call, a tool or the choice of one in chat completions. */
export function renamedCall(item: unknown, renames: Renames): unknown {
  if (!isRecord(item)) return item
  for (const kind of KINDS) {
    const definition = item[kind]
    const name = renames.get(nameIn(definition))
    if (isRecord(definition) && name !== undefined)
      return { ...item, [kind]: { ...definition, name } }
  }
  return item
}

const KINDS = ['function', 'custom'] as const

const nameIn = (definition: unknown) => textOf(member(definition, 'name'))

/** Gives calls in answers the client's names again. */
export class NameRestorer {
  readonly #clientNames: Renames

  constructor(renames: Renames) {
    this.#clientNames = new Map([...renames].map(([client, provider]) => [provider, client]))
  }

  *answer(decoding: Decoded | Steps<Decoded>): Steps<Decoded> {
    const answer = yield* asSteps(decoding)
    if (!Buffer.isBuffer(answer)) return this.#typed(answer)
    const json = yield* readJson(answer)
    const restored = isRecord(json) ? this.#restored(json) : null
    return restored === null ? answer : yield* writeJson(restored, answer.length)
  }

  #typed(answer: Answer): Answer {
    const choices = answer.choices.map((choice) => ({
      ...choice,
      items: choice.items.map((item) => this.#event(item)),
    }))
    return { ...answer, choices }
  }

  decoder(inner: StreamDecoder): StreamDecoder {
    if (inner.form === 'events') {
      return {
        form: 'events',
        push: (chunk) => inner.push(chunk).map((event) => this.#event(event)),
        end: () => inner.end().map((event) => this.#event(event)),
      }
    }
    return {
      form: 'chunks',
      push: (chunk) => inner.push(chunk).map((block) => this.#chunk(block)),
      end: () => inner.end().map((block) => this.#chunk(block)),
    }
  }

  #event<Event extends StreamEvent>(event: Event): Event {
    if (event.type !== 'tool-call') return event
    const name = this.#clientNames.get(event.name)
    return name === undefined ? event : { ...event, name }
  }

  #chunk(event: Buffer): Buffer {
    if (!event.includes('"name"')) return event
    const json = jsonIn(blockData(event) ?? event)
    const restored = isRecord(json) ? this.#restored(json) : null
    return restored === null ? event : dataEvent(restored)
  }

  /** Null if nothing changes. */
  #restored(json: JsonRecord): JsonRecord | null {
    let isChanged = false
    const restore = (call: unknown) => {
      const restored = renamedCall(call, this.#clientNames)
      isChanged ||= restored !== call
      return restored
    }
    const choices = listOf(json['choices']).map((choice) => {
      const place = isRecord(member(choice, 'delta')) ? 'delta' : 'message'
      const message = member(choice, place)
      const calls = member(message, 'tool_calls')
      if (!isRecord(choice) || !isRecord(message) || !Array.isArray(calls)) return choice
      return { ...choice, [place]: { ...message, tool_calls: calls.map(restore) } }
    })
    return isChanged ? { ...json, choices } : null
  }
}
