import type { Answer } from '../../form/answer.ts'
import type { OutputItem, StreamEvent, ToolCallEvent } from '../../form/events.ts'
import { ChunkEncoder } from '../openai-chat/stream-encoder.ts'
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
      return { ...item, input: custom.push(item.input) + custom.remaining() }
    }),
  })),
})

type OpenInput = { readonly call: ToolCallEvent; readonly custom: CustomInput }

export class TextToolEncoder extends ChunkEncoder {
  readonly #tools: TextTools
  /** By choice and index of the call. */
  readonly #open = new Map<string, OpenInput>()

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
    const key = `${event.choice} ${event.index}`
    const isNamed = this.#tools.has(event.name)
    if (isNamed) this.#open.set(key, { call: event, custom: new CustomInput() })
    const open = this.#open.get(key)
    if (open === undefined) return [event]
    const input = open.custom.push(event.input)
    return isNamed || input !== '' ? [{ ...event, input }] : []
  }

  /** Text that was held back, since it is in no such JSON. */
  #rest(choice: number): StreamEvent[] {
    const ended = [...this.#open].filter(([, { call }]) => call.choice === choice)
    return ended.flatMap(([key, { call, custom }]) => {
      this.#open.delete(key)
      const input = custom.remaining()
      return input === '' ? [] : [{ ...call, id: '', name: '', input, signature: undefined }]
    })
  }
}
