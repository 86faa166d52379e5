import type { JsonRecord } from '../../json-value.ts'
import { CustomInput } from './custom-input.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'
import type { ClientTool } from './tool-names.ts'

/** A function call, or a call of the client's custom tool. */
export class OpenCall implements OpenItem {
  readonly place: ItemPlace
  readonly #callId: string
  readonly #tool: ClientTool
  readonly #custom = new CustomInput()
  #input = ''

  constructor(place: ItemPlace, callId: string, tool: ClientTool) {
    this.place = place
    this.#callId = callId
    this.#tool = tool
  }

  push(piece: string): OutputEvent[] {
    return this.#add(this.#tool.isCustom ? this.#custom.push(piece) : piece)
  }

  close(): OutputEvent[] {
    if (this.#tool.isCustom) {
      const rest = this.#add(this.#custom.remaining())
      return [...rest, this.#event('custom_tool_call_input.done', { input: this.#input })]
    }
    const call = { name: this.#tool.name, arguments: this.#input }
    return [this.#event('function_call_arguments.done', call)]
  }

  item(status: ItemStatus): JsonRecord {
    const { name, isCustom, namespace } = this.#tool
    return {
      id: this.place.id,
      type: isCustom ? 'custom_tool_call' : 'function_call',
      status,
      call_id: this.#callId,
      name,
      ...(namespace === null ? {} : { namespace }),
      ...(isCustom ? { input: this.#input } : { arguments: this.#input }),
    }
  }

  #add(delta: string): OutputEvent[] {
    if (delta === '') return []
    this.#input += delta
    const name = this.#tool.isCustom ? 'custom_tool_call_input' : 'function_call_arguments'
    return [this.#event(`${name}.delta`, { delta })]
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    const { id: item_id, output_index } = this.place
    return { type: `response.${type}`, item_id, output_index, ...rest }
  }
}
