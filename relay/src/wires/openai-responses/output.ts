import { type JsonRecord, member } from '../../bytes/json-value.ts'
import type { Citation } from '../../form/events.ts'
import { ReasoningDetails } from '../openai-chat/reasoning-details.ts'
import {
  type CallPiece,
  type ToolCallDelta,
  ToolCallDeltas,
} from '../openai-chat/tool-call-deltas.ts'
import { BUILT_IN, isBuiltIn } from './built-in-tools.ts'
import { OpenCall } from './open-call.ts'
import { readInlineImage, ImageItem } from './open-image.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'
import { OpenMessage } from './open-message.ts'
import { OpenReasoning } from './open-reasoning.ts'
import type { ResponseContext } from './response-context.ts'
import type { ClientTool } from './tool-names.ts'

/**
 * Writes the items of an output in sequence, with their events. Tool calls stay open until the end,
 * since providers may write several at once.
 */
export class Output {
  readonly #context: ResponseContext
  /** The answer's id, from which item ids are made. */
  readonly #id: string
  readonly #firstMessage: string | null
  readonly #done = new Map<number, JsonRecord>()
  readonly #toolCallDeltas: ToolCallDeltas
  readonly #calls = new Map<number, OpenCall>()
  #open: OpenMessage | OpenReasoning | null = null
  #count = 0
  #signature: unknown = undefined
  /** Citations before their text. */
  #citations: readonly Citation[] = []
  /** Characters of closed messages. */
  #textLength = 0
  readonly #details = new ReasoningDetails()

  /** `firstMessage` is the id of a message that the client already has. */
  constructor(context: ResponseContext, id: string, firstMessage: string | null = null) {
    this.#context = context
    this.#id = id + context.idSuffix
    this.#firstMessage = firstMessage
    this.#toolCallDeltas = new ToolCallDeltas(id)
  }

  get items(): JsonRecord[] {
    return [...this.#done].toSorted(([one], [other]) => one - other).map(([, item]) => item)
  }

  reasoning(text: string): OutputEvent[] {
    if (text === '') return []
    const [events, open] = this.#enterReasoning()
    return [...events, ...open.text(text)]
  }

  /** A signed reasoning block. Its text is written here only if no reasoning item is open. */
  signedReasoning(reasoning: JsonRecord, text: string): OutputEvent[] {
    const isHidden = reasoning['type'] === 'redacted_thinking'
    const before = isHidden ? this.#closeOpen() : []
    const isWritten = isHidden || this.#open instanceof OpenReasoning
    const said = isWritten ? [] : this.reasoning(text)
    return [...before, ...said, ...this.#signed(reasoning), ...this.#closeOpen()]
  }

  text(text: string, logprobs: readonly unknown[] = []): OutputEvent[] {
    if (text === '') return []
    const [events, open] = this.#enterMessage()
    const said = open.text(text, logprobs)
    return [...events, ...said, ...(this.#citations.length === 0 ? [] : this.cite([]))]
  }

  /** The end of the event of a text that continues an open part; null for any other. */
  nextDelta(text: string): string | null {
    return this.#open instanceof OpenMessage && text !== '' ? this.#open.nextDelta(text) : null
  }

  /** Citations of the open text, or of the next. */
  cite(citations: readonly Citation[]): OutputEvent[] {
    const waiting = [...this.#citations, ...citations]
    const open = this.#open
    const isWritten = open instanceof OpenMessage && open.isText
    this.#citations = isWritten ? [] : waiting
    return isWritten ? waiting.map((one) => open.cite(one)) : []
  }

  refusal(text: string): OutputEvent[] {
    if (text === '') return []
    const [events, open] = this.#enterMessage()
    return [...events, ...open.refusal(text)]
  }

  image(given: unknown): OutputEvent[] {
    const inlineImage = readInlineImage(given)
    if (inlineImage === null) return []
    const [before, place] = this.#signedPlace(given)
    const item = new ImageItem(place, inlineImage)
    return [...before, added(item), ...this.#finish(item, 'completed')]
  }

  /** The signature of the whole message, which is kept until the end. */
  signMessage(signature: unknown): void {
    this.#signature = signature
  }

  /** A detail of the reasoning, which is kept until the end. */
  keepDetail(entry: unknown): void {
    this.#details.push(entry)
  }

  call(piece: CallPiece): OutputEvent[] {
    const delta = this.#toolCallDeltas.push(piece)
    return delta === null ? [] : this.#writeCall(delta)
  }

  #writeCall(delta: ToolCallDelta): OutputEvent[] {
    const { position, id, name, input, signature } = delta
    const known = this.#calls.get(position)
    if (known !== undefined) return known.push(input)
    const tool = this.#context.tools.clientTool(name) ?? unknownTool(name)
    const before = [...this.#signCall(id, signature), ...this.#closeOpen()]
    const call = new OpenCall(this.#nextPlace(prefixOf(tool)), id, tool)
    this.#calls.set(position, call)
    // Clients check the action of such a call, which is not whole before its end.
    if (isBuiltIn(tool.form)) return [...before, ...call.push(input)]
    return [...before, added(call), ...call.push(input)]
  }

  /** Ends all items. `isCut`: the last item is incomplete. */
  end(isCut: boolean): OutputEvent[] {
    const status = isCut ? 'incomplete' : 'completed'
    const rest = this.#toolCallDeltas.end().flatMap((delta) => this.#writeCall(delta))
    const closed = this.#closeOpen(this.#calls.size === 0 ? status : 'completed')
    const events = [...rest, ...closed]
    const last = [...this.#calls.values()].at(-1)
    for (const call of this.#calls.values()) {
      if (call.isBuiltIn) events.push(added(call))
      events.push(...this.#finish(call, call === last ? status : 'completed'))
    }
    this.#calls.clear()
    const { entries } = this.#details
    const extra = this.#signature
    this.#signature = undefined
    return [
      ...events,
      ...(entries.length === 0 ? [] : this.#signed({ type: 'reasoning_details', entries })),
      ...(extra === undefined ? [] : this.#signed({ type: 'message', extra_content: extra })),
      ...this.#closeOpen(),
    ]
  }

  #signCall(id: string, signature: unknown): OutputEvent[] {
    if (signature === undefined) return []
    return this.#signed({ type: 'tool_call', id, extra_content: signature })
  }

  /** Places an image after its signature, which refers to the image by id. */
  #signedPlace(given: unknown): [OutputEvent[], ItemPlace] {
    const signature = member(given, 'extra_content')
    if (signature === undefined || !this.#context.encryptsReasoning) {
      return [this.#closeOpen(), this.#nextPlace('ig')]
    }
    const [events, open] = this.#enterReasoning()
    const place = this.#nextPlace('ig')
    open.addSigned({ type: 'image', id: place.id, extra_content: signature })
    return [[...events, ...this.#closeOpen()], place]
  }

  #signed(entry: JsonRecord): OutputEvent[] {
    if (!this.#context.encryptsReasoning) return []
    const [events, open] = this.#enterReasoning()
    open.addSigned(entry)
    return events
  }

  #enterReasoning(): [OutputEvent[], OpenReasoning] {
    const open = this.#open
    if (open instanceof OpenReasoning) return [[], open]
    const closed = this.#closeOpen()
    const reasoning = new OpenReasoning(this.#nextPlace('rs'), this.#context.cipher)
    this.#open = reasoning
    return [[...closed, added(reasoning)], reasoning]
  }

  #enterMessage(): [OutputEvent[], OpenMessage] {
    const open = this.#open
    if (open instanceof OpenMessage) return [[], open]
    const closed = this.#closeOpen()
    const message = new OpenMessage(this.#nextPlace('msg'), this.#textLength)
    this.#open = message
    return [[...closed, added(message)], message]
  }

  #nextPlace(prefix: string): ItemPlace {
    const output_index = this.#count
    this.#count += 1
    if (output_index === 0 && prefix === 'msg' && this.#firstMessage !== null) {
      return { id: this.#firstMessage, output_index }
    }
    return { id: `${prefix}_${this.#id}_${output_index}`, output_index }
  }

  #closeOpen(status: ItemStatus = 'completed'): OutputEvent[] {
    const open = this.#open
    this.#open = null
    if (open instanceof OpenMessage) this.#textLength = open.textEnd
    return open === null ? [] : this.#finish(open, status)
  }

  #finish(open: OpenItem, status: ItemStatus): OutputEvent[] {
    const { output_index } = open.place
    const events = open.close(status)
    const item = open.item(status)
    this.#done.set(output_index, item)
    return [...events, { type: 'response.output_item.done', output_index, item }]
  }
}

const ID_PREFIXES = { function: 'fc', custom: 'ctc', tool_search: 'tsc' } as const

const prefixOf = ({ form }: ClientTool): string =>
  isBuiltIn(form) ? BUILT_IN[form].prefix : ID_PREFIXES[form]

const unknownTool = (name: string): ClientTool => ({ name, namespace: null, form: 'function' })

const added = (open: OpenItem): OutputEvent => ({
  type: 'response.output_item.added',
  output_index: open.place.output_index,
  item: open.item('in_progress'),
})
