import type { JsonRecord } from '../../json-value.ts'
import { CustomInput } from './custom-input.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'
import type { ToolKind } from './response-context.ts'

const FUNCTION: ToolKind = { isCustom: false, namespace: null }

/** A function call, or a call of the client's custom tool. */
export class OpenCall implements OpenItem {
  readonly place: ItemPlace
  readonly #call: { readonly id: string; readonly name: string }
  readonly #kind: ToolKind
  readonly #custom = new CustomInput()
  #input = ''

  constructor(
    place: ItemPlace,
    call: { readonly id: string; readonly name: string },
    kind: ToolKind = FUNCTION,
  ) {
    this.place = place
    this.#call = call
    this.#kind = kind
  }

  push(piece: string): OutputEvent[] {
    return this.#add(this.#kind.isCustom ? this.#custom.push(piece) : piece)
  }

  close(): OutputEvent[] {
    if (this.#kind.isCustom) {
      const rest = this.#add(this.#custom.remaining())
      return [...rest, this.#event('custom_tool_call_input.done', { input: this.#input })]
    }
    const { name } = this.#call
    const call = { name, arguments: this.#input }
    return [this.#event('function_call_arguments.done', call)]
  }

  item(status: ItemStatus): JsonRecord {
    const { id: call_id, name } = this.#call
    const { isCustom, namespace } = this.#kind
    return {
      id: this.place.id,
      type: isCustom ? 'custom_tool_call' : 'function_call',
      status,
      call_id,
      name,
      ...(namespace === null ? {} : { namespace }),
      ...(isCustom ? { input: this.#input } : { arguments: this.#input }),
    }
  }

  #add(delta: string): OutputEvent[] {
    if (delta === '') return []
    this.#input += delta
    const name = this.#kind.isCustom ? 'custom_tool_call_input' : 'function_call_arguments'
    return [this.#event(`${name}.delta`, { delta })]
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    const { id: item_id, output_index } = this.place
    return { type: `response.${type}`, item_id, output_index, ...rest }
  }
}
