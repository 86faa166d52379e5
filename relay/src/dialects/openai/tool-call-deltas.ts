import { randomUUID } from 'node:crypto'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'
import { JsonProgress } from './json-progress.ts'

/** A piece of a tool call. */
export type ToolCallDelta = {
  /** Of the call among those of its choice. */
  readonly position: number
  readonly id: string
  readonly name: string
  /** JSON, of which this is what comes next. */
  readonly input: string
  /** With this piece nothing is missing of the input. */
  readonly isWhole: boolean
  /** What signs the call, for its provider; undefined where nothing does. */
  readonly signature: unknown
}

type Call = {
  readonly position: number
  readonly json: JsonProgress
  id: string
  name: string
  /** What came before the name. */
  kept: string
  signature: unknown
}

/** OpenAI takes ids of calls of at most 40 letters. */
const ANSWER_ID_LENGTH = 24

/** The calls of one choice, whose pieces are numbered, or have an id, or come one after the other. */
export class ToolCallDeltas {
  readonly #madeId: string
  /** By number, and by id. */
  readonly #calls = new Map<number | string, Call>()
  #last: Call | undefined
  #count = 0

  /** Calls without an id get one that is made of the answer's, which is unlike those of other turns. */
  constructor(answerId: string) {
    const id = answerId || randomUUID()
    this.#madeId = `call_${id.replaceAll(/[^\w-]/g, '_').slice(-ANSWER_ID_LENGTH)}`
  }

  /** Null until the name of the call is known: nothing can be called that has none. */
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
    call.kept += input
    if (call.name === '') return null
    call.id ||= `${this.#madeId}_${call.position}`
    const { position, kept, json, signature } = call
    call.kept = ''
    return { position, id: call.id, name: call.name, input: kept, isWhole: json.isWhole, signature }
  }

  #callOf({ key, id, name }: { key: number | string; id: string; name: string }): Call {
    const known = key === '' ? this.#last : this.#calls.get(key)
    // Some give all calls of an answer the same number, and some tell whole calls without any.
    const isOther = name !== '' && (key === '' || (id !== '' && id !== known?.id))
    const isNext = known?.json.isWhole || (known?.name !== '' && known?.name !== name)
    const call = known === undefined || (isOther && isNext) ? this.#begin() : known
    if (key !== '') this.#calls.set(key, call)
    if (id !== '') this.#calls.set(id, call)
    this.#last = call
    return call
  }

  #begin(): Call {
    const position = this.#count
    this.#count += 1
    return { position, json: new JsonProgress(), id: '', name: '', kept: '', signature: undefined }
  }
}

/** The calls of a whole message, each of which is one by itself. */
export const wholeCalls = (message: unknown): JsonRecord[] =>
  listOf(member(message, 'tool_calls'))
    .filter(isRecord)
    .map((call, index) => ({ ...call, index }))
