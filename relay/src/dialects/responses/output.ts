import { type JsonRecord, member } from '../../json-value.ts'
import { ToolCallDeltas } from '../openai/tool-call-deltas.ts'
import type { Asked } from './asked.ts'
import { drawnIn, Picture } from './image.ts'
import { OpenCall } from './open-call.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'
import { OpenMessage } from './open-message.ts'
import { OpenThought } from './open-reasoning.ts'

/**
 * Writes the items of an output in sequence, with their events. Tool calls stay open until the end,
 * since providers may write several at once.
 */
export class Output {
  readonly #asked: Asked
  /** The answer's id, from which item ids are made. */
  readonly #id: string
  readonly #done = new Map<number, JsonRecord>()
  readonly #pieces: ToolCallDeltas
  readonly #calls = new Map<number, OpenCall>()
  #open: OpenMessage | OpenThought | null = null
  #count = 0
  #signature: unknown = undefined

  constructor(asked: Asked, id: string) {
    this.#asked = asked
    this.#id = id
    this.#pieces = new ToolCallDeltas(id)
  }

  get items(): JsonRecord[] {
    return [...this.#done].toSorted(([one], [other]) => one - other).map(([, item]) => item)
  }

  thought(text: string): OutputEvent[] {
    if (text === '') return []
    const [events, open] = this.#enterThought()
    return [...events, ...open.text(text)]
  }

  /** A signed reasoning block. Its text is written here only if no reasoning item is open. */
  signedThought(thought: JsonRecord, text: string): OutputEvent[] {
    const isHidden = thought['type'] === 'redacted_thinking'
    const before = isHidden ? this.#closeOpen() : []
    const isSaid = isHidden || this.#open instanceof OpenThought
    const said = isSaid ? [] : this.thought(text)
    return [...before, ...said, ...this.#sealed(thought), ...this.#closeOpen()]
  }

  text(text: string, logprobs: readonly unknown[] = []): OutputEvent[] {
    if (text === '') return []
    const [events, open] = this.#enterMessage()
    return [...events, ...open.text(text, logprobs)]
  }

  refusal(text: string): OutputEvent[] {
    if (text === '') return []
    const [events, open] = this.#enterMessage()
    return [...events, ...open.refusal(text)]
  }

  picture(given: unknown): OutputEvent[] {
    const drawn = drawnIn(given)
    if (drawn === null) return []
    const [before, place] = this.#signedPlace(given)
    const picture = new Picture(place, drawn)
    return [...before, added(picture), ...this.#finish(picture, 'completed')]
  }

  /** The signature of the whole message, which is kept until the end. */
  signMessage(signature: unknown): void {
    this.#signature = signature
  }

  call(given: unknown): OutputEvent[] {
    const piece = this.#pieces.push(given)
    if (piece === null) return []
    const { position, id, name, input, signature } = piece
    const known = this.#calls.get(position)
    if (known !== undefined) return known.push(input)
    const kind = this.#asked.tools.get(name)
    const before = [...this.#signCall(id, signature), ...this.#closeOpen()]
    const place = this.#nextPlace(kind?.isCustom === true ? 'ctc' : 'fc')
    const call = new OpenCall(place, { id, name }, kind)
    this.#calls.set(position, call)
    return [...before, added(call), ...call.push(input)]
  }

  /** Ends all items. `isCut`: the last item is incomplete. */
  end(isCut: boolean): OutputEvent[] {
    const status = isCut ? 'incomplete' : 'completed'
    const events = this.#closeOpen(this.#calls.size === 0 ? status : 'completed')
    const last = [...this.#calls.values()].at(-1)
    for (const call of this.#calls.values()) {
      events.push(...this.#finish(call, call === last ? status : 'completed'))
    }
    this.#calls.clear()
    const extra = this.#signature
    if (extra === undefined) return events
    this.#signature = undefined
    return [
      ...events,
      ...this.#sealed({ type: 'message', extra_content: extra }),
      ...this.#closeOpen(),
    ]
  }

  #signCall(id: string, signature: unknown): OutputEvent[] {
    if (signature === undefined) return []
    return this.#sealed({ type: 'tool_call', id, extra_content: signature })
  }

  /** Places an image after its signature, which refers to the image by id. */
  #signedPlace(given: unknown): [OutputEvent[], ItemPlace] {
    const signature = member(given, 'extra_content')
    if (signature === undefined || !this.#asked.seals) {
      return [this.#closeOpen(), this.#nextPlace('ig')]
    }
    const [events, open] = this.#enterThought()
    const place = this.#nextPlace('ig')
    open.keep({ type: 'image', id: place.id, extra_content: signature })
    return [[...events, ...this.#closeOpen()], place]
  }

  #sealed(entry: JsonRecord): OutputEvent[] {
    if (!this.#asked.seals) return []
    const [events, open] = this.#enterThought()
    open.keep(entry)
    return events
  }

  #enterThought(): [OutputEvent[], OpenThought] {
    const open = this.#open
    if (open instanceof OpenThought) return [[], open]
    const closed = this.#closeOpen()
    const thought = new OpenThought(this.#nextPlace('rs'))
    this.#open = thought
    return [[...closed, added(thought)], thought]
  }

  #enterMessage(): [OutputEvent[], OpenMessage] {
    const open = this.#open
    if (open instanceof OpenMessage) return [[], open]
    const closed = this.#closeOpen()
    const message = new OpenMessage(this.#nextPlace('msg'))
    this.#open = message
    return [[...closed, added(message)], message]
  }

  #nextPlace(prefix: string): ItemPlace {
    const output_index = this.#count
    this.#count += 1
    return { id: `${prefix}_${this.#id}_${output_index}`, output_index }
  }

  #closeOpen(status: ItemStatus = 'completed'): OutputEvent[] {
    const open = this.#open
    this.#open = null
    return open === null ? [] : this.#finish(open, status)
  }

  #finish(open: OpenItem, status: ItemStatus): OutputEvent[] {
    const { output_index } = open.place
    const events = open.close()
    const item = open.item(status)
    this.#done.set(output_index, item)
    return [...events, { type: 'response.output_item.done', output_index, item }]
  }
}

const added = (open: OpenItem): OutputEvent => ({
  type: 'response.output_item.added',
  output_index: open.place.output_index,
  item: open.item('in_progress'),
})
