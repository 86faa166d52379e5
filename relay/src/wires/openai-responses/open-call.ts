import type { JsonRecord } from '../../bytes/json-value.ts'
import { NestedJson, inputOf } from '../../form/nested-json.ts'
import { CustomInput } from './custom-input.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'
import type { ClientTool } from './tool-names.ts'

/** A call of a function, of the client's custom tool, or of the client's search for tools. */
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
    return this.#add(this.#tool.form === 'custom' ? this.#custom.push(piece) : piece)
  }

  close(status: ItemStatus): OutputEvent[] {
    switch (this.#tool.form) {
      case 'custom': {
        const rest = this.#add(this.#custom.remaining())
        return [...rest, this.#event('custom_tool_call_input.done', { input: this.#input })]
      }
      case 'function': {
        // Some providers send no arguments for a tool without parameters. Clients parse them.
        const isMissing = status === 'completed' && this.#input.trim() === ''
        const rest = isMissing ? this.#add('{}') : []
        const call = { name: this.#tool.name, arguments: this.#input }
        return [...rest, this.#event('function_call_arguments.done', call)]
      }
      case 'tool_search':
        return []
    }
  }

  item(status: ItemStatus): JsonRecord {
    const { name, form, namespace } = this.#tool
    const [id, call_id] = [this.place.id, this.#callId]
    if (form === 'tool_search') {
      const search = inputOf(this.#input, new NestedJson())
      return {
        id,
        type: 'tool_search_call',
        execution: 'client',
        status,
        call_id,
        arguments: search,
      }
    }
    const isCustom = form === 'custom'
    return {
      id,
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
    if (this.#tool.form === 'tool_search') return []
    const name = this.#tool.form === 'custom' ? 'custom_tool_call_input' : 'function_call_arguments'
    return [this.#event(`${name}.delta`, { delta })]
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    const { id: item_id, output_index } = this.place
    return { type: `response.${type}`, item_id, output_index, ...rest }
  }
}
