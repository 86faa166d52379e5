import { randomUUID } from 'node:crypto'
import { JsonProgress } from '../../bytes/json-progress.ts'
import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import type { ToolCallEvent } from '../../form/events.ts'
import { isFlat } from '../../form/nested-json.ts'
import { argumentsText, CallInput } from './call-input.ts'

/** The first piece of a call has its name. */
export type CallPiece = Omit<ToolCallEvent, 'type' | 'choice'>

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
  readonly input: CallInput
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
  readonly #all: Call[] = []
  #last: Call | undefined

  /** The generated ids contain the answer's id, so they differ between answers. */
  constructor(answerId: string) {
    const id = answerId || randomUUID()
    this.#idPrefix = `call_${id.replaceAll(/[^\w-]/g, '_').slice(-ANSWER_ID_LENGTH)}`
  }

  push(piece: CallPiece): ToolCallDelta | null {
    // Only clients of chat completions know custom tools by that name.
    return piece.isCustom ? null : this.#take(this.#read(piece))
  }

  /** The position of the piece's call, for streams that are passed on as they are. */
  position(piece: CallPiece): number {
    const call = this.#read(piece)
    call.pendingInput = ''
    return call.position
  }

  #read({ index, id, name, input, signature }: CallPiece): Call {
    const call = this.#callOf({ key: index ?? id, id, name })
    call.id ||= id
    call.name ||= name
    call.signature ??= signature
    addInput(call, call.input.push(input))
    return call
  }

  /** The signatures of the calls, as entries of encrypted reasoning. */
  get signatures(): JsonRecord[] {
    return this.#all
      .filter(({ signature }) => signature !== undefined && isFlat(signature))
      .map(({ id, signature }) => ({ type: 'tool_call', id, extra_content: signature }))
  }

  /** The rest of calls whose input the end of the stream cut off. */
  end(): ToolCallDelta[] {
    return this.#all.flatMap((call) => {
      const input = call.input.remaining()
      addInput(call, input)
      return input === '' ? [] : (this.#take(call) ?? [])
    })
  }

  #take(call: Call): ToolCallDelta | null {
    if (call.name === '') return null
    call.id ||= `${this.#idPrefix}_${call.position}`
    const { position, id, name, pendingInput, json, signature } = call
    call.pendingInput = ''
    return { position, id, name, input: pendingInput, isComplete: json.isComplete, signature }
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
    const call = {
      position: this.#all.length,
      json: new JsonProgress(),
      input: new CallInput(),
      id: '',
      name: '',
      pendingInput: '',
      signature: undefined,
    }
    this.#all.push(call)
    return call
  }
}

function addInput(call: Call, input: string): void {
  call.json.push(input)
  call.pendingInput += input
}

/** A piece of a call as chat completions have it. A custom tool has no function. */
export function callPiece(given: unknown): CallPiece {
  const [named, custom] = [member(given, 'function'), member(given, 'custom')]
  const index = member(given, 'index')
  const isCustom = named === undefined && custom !== undefined
  return {
    index: typeof index === 'number' ? index : null,
    id: textOf(member(given, 'id')),
    name: textOf(member(isCustom ? custom : named, 'name')),
    input: isCustom ? textOf(member(custom, 'input')) : argumentsText(member(named, 'arguments')),
    isCustom,
    signature: member(given, 'extra_content'),
  }
}
