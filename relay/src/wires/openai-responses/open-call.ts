import type { JsonRecord } from '../../bytes/json-value.ts'
import { NestedJson, inputOf } from '../../form/nested-json.ts'
import { BUILT_IN, isBuiltIn } from './built-in-tools.ts'
import { CustomInput } from './custom-input.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'
import type { ClientTool } from './tool-names.ts'

/** A call of any tool that the client runs. */
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

  get isBuiltIn(): boolean {
    return isBuiltIn(this.#tool.form)
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
      default:
        return []
    }
  }

  item(status: ItemStatus): JsonRecord {
    const { name, form, namespace } = this.#tool
    const type = form === 'custom' ? 'custom_tool_call' : `${form}_call`
    const call = { id: this.place.id, type, status, call_id: this.#callId }
    switch (form) {
      case 'function':
      case 'custom': {
        const input = form === 'custom' ? { input: this.#input } : { arguments: this.#input }
        const named = { name, ...(namespace === null ? {} : { namespace }), ...input }
        return { ...call, ...named }
      }
      case 'tool_search':
        return { ...call, execution: 'client', arguments: this.#object }
      default:
        return { ...call, ...BUILT_IN[form].call(this.#object) }
    }
  }

  get #object(): JsonRecord {
    return inputOf(this.#input, new NestedJson())
  }

  #add(delta: string): OutputEvent[] {
    if (delta === '') return []
    this.#input += delta
    const { form } = this.#tool
    if (form !== 'custom' && form !== 'function') return []
    const name = form === 'custom' ? 'custom_tool_call_input' : 'function_call_arguments'
    return [this.#event(`${name}.delta`, { delta })]
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    const { id: item_id, output_index } = this.place
    return { type: `response.${type}`, item_id, output_index, ...rest }
  }
}
