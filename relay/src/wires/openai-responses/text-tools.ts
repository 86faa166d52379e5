import type { Answer } from '../../form/answer.ts'
import type { OutputItem, StreamEvent, ToolCallEvent } from '../../form/events.ts'
import { withoutEncoding } from '../openai-chat/call-input.ts'
import { ChunkEncoder } from '../openai-chat/stream-encoder.ts'
import { type ToolCallDelta, ToolCallDeltas } from '../openai-chat/tool-call-deltas.ts'
import { CustomInput } from './custom-input.ts'

/** The names of custom tools that the provider knows as functions with a string `input`. */
type TextTools = ReadonlySet<string>

/** The answer with the texts in place of the JSON around them. */
export const withTextInputs = ({ choices, ...answer }: Answer, tools: TextTools): Answer => ({
  ...answer,
  choices: choices.map(({ items, ...choice }) => ({
    ...choice,
    items: items.map((item): OutputItem => {
      if (item.type !== 'tool-call' || !tools.has(item.name)) return item
      const custom = new CustomInput()
      return { ...item, input: custom.push(withoutEncoding(item.input)) + custom.remaining() }
    }),
  })),
})

type Choice = {
  readonly deltas: ToolCallDeltas
  /** Indexes of the calls that the client knows. */
  readonly begun: Set<number>
  /** The texts of such tools, by index of the call. */
  readonly texts: Map<number, CustomInput>
}

export class TextToolEncoder extends ChunkEncoder {
  readonly #tools: TextTools
  readonly #choices = new Map<number, Choice>()

  constructor(tools: TextTools) {
    super()
    this.#tools = tools
  }

  override write(events: readonly StreamEvent[]): string {
    return super.write(events.flatMap((event) => this.#withText(event)))
  }

  #withText(event: StreamEvent): StreamEvent[] {
    if (event.type === 'finish') return [...this.#rest(event.choice), event]
    if (event.type !== 'tool-call') return [event]
    const choice = this.#choiceAt(event.choice)
    if (event.isCustom) return [{ ...event, index: choice.deltas.position(event) }]
    const delta = choice.deltas.push(event)
    return delta === null ? [] : this.#piece(event.choice, delta)
  }

  #choiceAt(index: number): Choice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const choice = { deltas: new ToolCallDeltas(''), begun: new Set<number>(), texts: new Map() }
    this.#choices.set(index, choice)
    return choice
  }

  /** Some providers repeat the name and the id in every piece; the client adds names up. */
  #piece(at: number, { position, id, name, input, signature }: ToolCallDelta): ToolCallEvent[] {
    const { begun, texts } = this.#choiceAt(at)
    const isFirst = !begun.has(position)
    begun.add(position)
    if (isFirst && this.#tools.has(name)) texts.set(position, new CustomInput())
    const text = texts.get(position)?.push(input) ?? input
    if (isFirst) return [callEvent(at, { index: position, id, name, input: text, signature })]
    return text === '' ? [] : [callEvent(at, { index: position, input: text })]
  }

  /** Text that was held back, since it is in no such JSON. */
  #rest(at: number): ToolCallEvent[] {
    const { deltas, texts } = this.#choiceAt(at)
    const held = deltas.end().flatMap((delta) => this.#piece(at, delta))
    const rests = [...texts].map(([index, custom]) => ({ index, input: custom.remaining() }))
    texts.clear()
    const ended = rests.filter(({ input }) => input !== '')
    return [...held, ...ended.map((rest) => callEvent(at, rest))]
  }
}

type Piece = Pick<ToolCallEvent, 'index' | 'input'> &
  Partial<Pick<ToolCallEvent, 'id' | 'name' | 'signature'>>

const callEvent = (
  choice: number,
  { index, input, id = '', name = '', signature }: Piece,
): ToolCallEvent => ({
  type: 'tool-call',
  choice,
  index,
  id,
  name,
  input,
  isCustom: false,
  signature,
})
