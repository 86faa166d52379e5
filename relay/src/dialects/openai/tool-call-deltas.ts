import { randomUUID } from 'node:crypto'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'
import { JsonProgress } from './json-progress.ts'

export type ToolCallDelta = {
  /** Index of the call in its choice. */
  readonly position: number
  readonly id: string
  readonly name: string
  /** The next piece of the JSON text. */
  readonly input: string
  /** Whether the input is complete with this piece. */
  readonly isComplete: boolean
  /** The provider's signature of the call; undefined if unsigned. */
  readonly signature: unknown
}

type Call = {
  readonly position: number
  readonly json: JsonProgress
  id: string
  name: string
  /** Input that arrived before the name. */
  pendingInput: string
  signature: unknown
}

/** OpenAI accepts call ids of at most 40 characters. */
const ANSWER_ID_LENGTH = 24

/** The tool calls of a choice. Their pieces have an index or an id, or follow each other. */
export class ToolCallDeltas {
  readonly #idPrefix: string
  /** By index and by id. */
  readonly #calls = new Map<number | string, Call>()
  #last: Call | undefined
  #count = 0

  /** The generated ids contain the answer's id, so they differ between answers. */
  constructor(answerId: string) {
    const id = answerId || randomUUID()
    this.#idPrefix = `call_${id.replaceAll(/[^\w-]/g, '_').slice(-ANSWER_ID_LENGTH)}`
  }

  push(piece: unknown): ToolCallDelta | null {
    const named = member(piece, 'function')
    const [id, name] = [textOf(member(piece, 'id')), textOf(member(named, 'name'))]
    const number = member(piece, 'index')
    const call = this.#callOf({ key: typeof number === 'number' ? number : id, id, name })
    call.id ||= id
    call.name ||= name
    call.signature ??= member(piece, 'extra_content')
    const input = textOf(member(named, 'arguments'))
    call.json.push(input)
    call.pendingInput += input
    if (call.name === '') return null
    call.id ||= `${this.#idPrefix}_${call.position}`
    const { position, pendingInput, json, signature } = call
    call.pendingInput = ''
    return {
      position,
      id: call.id,
      name: call.name,
      input: pendingInput,
      isComplete: json.isComplete,
      signature,
    }
  }

  #callOf({ key, id, name }: { key: number | string; id: string; name: string }): Call {
    const known = key === '' ? this.#last : this.#calls.get(key)
    // Some providers give all calls the same index; some send complete calls without an index.
    const isOther = name !== '' && (key === '' || (id !== '' && id !== known?.id))
    const isNext = known?.json.isComplete || (known?.name !== '' && known?.name !== name)
    const call = known === undefined || (isOther && isNext) ? this.#begin() : known
    if (key !== '') this.#calls.set(key, call)
    if (id !== '') this.#calls.set(id, call)
    this.#last = call
    return call
  }

  #begin(): Call {
    const position = this.#count
    this.#count += 1
    return {
      position,
      json: new JsonProgress(),
      id: '',
      name: '',
      pendingInput: '',
      signature: undefined,
    }
  }
}

/** The calls of a complete message, each with its own index. */
export const indexedCalls = (message: unknown): JsonRecord[] =>
  listOf(member(message, 'tool_calls'))
    .filter(isRecord)
    .map((call, index) => ({ ...call, index }))
