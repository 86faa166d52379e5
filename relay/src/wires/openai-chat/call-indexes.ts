import { isRecord, type JsonRecord, listOf, member } from '../../bytes/json-value.ts'
import { choicesOf } from '../../form/chat-chunk.ts'
import { callPiece, ToolCallDeltas } from './tool-call-deltas.ts'

type Choice = {
  readonly deltas: ToolCallDeltas
  /** By position of the call. */
  readonly indexes: Map<number, number>
  next: number
}

/**
 * Numbers the tool calls of a stream whose provider leaves out their indexes, which official
 * clients require (justlovemaki/AIClient2API#117).
 */
export class CallIndexes {
  readonly #choices = new Map<number, Choice>()

  /** The event with all indexes; null if none is missing. */
  complete(json: JsonRecord): JsonRecord | null {
    const choices = choicesOf(json).map((choice) => this.#completeChoice(choice))
    return choices.some((choice) => choice.isChanged)
      ? { ...json, choices: choices.map(({ value }) => value) }
      : null
  }

  /** A choice of an event, whose earlier events were completed. */
  hasCalls({ index }: JsonRecord): boolean {
    return this.#choices.has(typeof index === 'number' ? index : 0)
  }

  #completeChoice(choice: JsonRecord): { value: JsonRecord; isChanged: boolean } {
    const { delta } = choice
    const calls = listOf(member(delta, 'tool_calls'))
    const completed = calls.map((call) => this.#completeCall(call, this.#choiceAt(choice['index'])))
    if (!isRecord(delta) || completed.every((call, at) => call === calls[at])) {
      return { value: choice, isChanged: false }
    }
    return { value: { ...choice, delta: { ...delta, tool_calls: completed } }, isChanged: true }
  }

  #completeCall(call: unknown, choice: Choice): unknown {
    const given = member(call, 'index')
    const position = choice.deltas.position(callPiece(call))
    const index = typeof given === 'number' ? given : (choice.indexes.get(position) ?? choice.next)
    choice.indexes.set(position, index)
    choice.next = Math.max(choice.next, index + 1)
    return index === given || !isRecord(call) ? call : { ...call, index }
  }

  #choiceAt(index: unknown): Choice {
    const key = typeof index === 'number' ? index : 0
    const known = this.#choices.get(key)
    if (known !== undefined) return known
    const choice = { deltas: new ToolCallDeltas(''), indexes: new Map(), next: 0 }
    this.#choices.set(key, choice)
    return choice
  }
}
