import { normalizeFieldName } from '../../bytes/json-members.ts'
import {
  ifChanged,
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  omit,
  textOf,
} from '../../bytes/json-value.ts'
import { ABORTED, toldResult } from '../../fit/pairs.ts'
import { wordSet } from '../../provider.ts'
import { mendTurns, type TurnRules } from '../mend-turns.ts'
import { readField, roleOf, snakeCase } from './fields.ts'

/** Members of a part that say something about its data. */
const ABOUT_DATA = wordSet('thought thoughtsignature videometadata mediaresolution partmetadata')

/**
 * The contents as Gemini accepts them: as many responses as calls of the turn before, and data in
 * each part (https://ai.google.dev/gemini-api/docs/function-calling). The same list if nothing
 * changes.
 */
export function mendContents(contents: readonly unknown[]): readonly unknown[] {
  const names = new LastCalls()
  const accepted = (part: unknown) => (isRecord(part) ? acceptedPart(part, names) : part)
  return ifChanged(contents, mendTurns(mapRecords(contents, withOwnRole), { ...RULES, accepted }))
}

const ROLES: ReadonlySet<unknown> = new Set([undefined, null, '', 'user', 'model', 'function'])

const withOwnRole = (content: JsonRecord): JsonRecord =>
  ROLES.has(content['role']) ? content : { ...content, role: roleOf(content) }

/** Names of the last calls, for responses without a name (router-for-me/CLIProxyAPI#2104). */
class LastCalls {
  #names: string[] = []
  #responses = 0

  called(name: string) {
    if (this.#responses > 0) this.#names = []
    this.#responses = 0
    this.#names.push(name)
  }

  /** The name of the call in the place of the response. */
  answered(given: string): string {
    this.#responses += 1
    return given || (this.#names[this.#responses - 1] ?? '')
  }
}

const callOf = (part: unknown) => readField(part, 'functionCall')
const responseOf = (part: unknown) => readField(part, 'functionResponse')
const nameOf = (value: unknown) => textOf(readField(value, 'name'))
const idOf = (value: unknown) => readField(value, 'id')

const RULES: Omit<TurnRules, 'accepted'> = {
  listName: 'parts',
  blocksOf: (content) => listOf(member(content, 'parts')),
  isModel: (content) => member(content, 'role') === 'model',
  isCall: (part) => callOf(part) !== undefined,
  isResult: (part) => responseOf(part) !== undefined,
  callKeys: (part) => {
    const call = callOf(part)
    return [`name ${nameOf(call)}`, `id ${textOf(idOf(call))}`]
  },
  resultKey: (part) => {
    const response = responseOf(part)
    return idOf(response) === undefined
      ? `name ${nameOf(response)}`
      : `id ${textOf(idOf(response))}`
  },
  countsResults: true,
  aborted: (part) => {
    const call = callOf(part)
    const id = idOf(call)
    const given = id === undefined ? {} : { id }
    return {
      functionResponse: { ...given, name: nameOf(call), response: { result: ABORTED } },
    }
  },
  told: (part) => {
    const response = responseOf(part)
    const text = JSON.stringify(readField(response, 'response') ?? {})
    return [{ text: toldResult(nameOf(response), text) }, ...listOf(readField(response, 'parts'))]
  },
  textBlock: (text) => ({ text }),
}

function acceptedPart(part: JsonRecord, last: LastCalls): unknown {
  if (typeof part['text'] === 'string') return part
  const call = callOf(part)
  if (call !== undefined) return acceptedCall(part, call, last)
  const response = responseOf(part)
  if (response !== undefined) return acceptedResponse(part, response, last)
  const file = readField(part, 'fileData')
  if (file !== undefined) return textOf(readField(file, 'fileUri')) === '' ? [] : part
  const isEmpty = Object.keys(part).every((name) => ABOUT_DATA.has(normalizeFieldName(name)))
  return isEmpty ? [] : part
}

function acceptedCall(part: JsonRecord, call: unknown, last: LastCalls): unknown {
  const [name, args] = [nameOf(call), readField(call, 'args') ?? {}]
  if (name === '') return []
  last.called(name)
  const isNull = member(call, 'args') === null
  if (isRecord(args)) return isNull ? withMember(part, 'functionCall', { args }) : part
  return withMember(part, 'functionCall', { args: { arguments: args } })
}

function acceptedResponse(part: JsonRecord, response: unknown, last: LastCalls): unknown {
  const name = last.answered(nameOf(response))
  if (name === '') return RULES.told(part)
  const given = readField(response, 'response')
  if (name === nameOf(response) && isRecord(given)) return part
  const value = isRecord(given) ? given : given === undefined ? {} : { result: given }
  return withMember(part, 'functionResponse', { name, response: value })
}

/** The part with another member of its call or response. */
function withMember(
  part: JsonRecord,
  name: 'functionCall' | 'functionResponse',
  changed: JsonRecord,
) {
  const value = readField(part, name)
  const given = isRecord(value) ? value : {}
  return { ...omit(part, name, snakeCase(name)), [name]: { ...given, ...changed } }
}
