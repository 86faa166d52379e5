import { normalizeFieldName } from '../../bytes/json-members.ts'
import { isRecord, type JsonRecord, listOf, member, omit, textOf } from '../../bytes/json-value.ts'
import { ABORTED, toldResult } from '../../fit/pairs.ts'
import { wordSet } from '../../provider.ts'
import { mendTurns, type TurnRules } from '../mend-turns.ts'
import { readField, snakeCase } from './fields.ts'

/** Members of a part that say something about its data. */
const ABOUT_DATA = wordSet('thought thoughtsignature videometadata mediaresolution partmetadata')

/**
 * The contents as Gemini accepts them: as many responses as calls of the turn before, and data in
 * each part (https://ai.google.dev/gemini-api/docs/function-calling). The same list if nothing
 * changes.
 */
export function mendContents(contents: readonly unknown[]): readonly unknown[] {
  const names = new OpenCalls()
  const accepted = (part: unknown) => (isRecord(part) ? acceptedPart(part, names) : [part])
  return mendTurns(contents, { ...RULES, accepted })
}

/** Names of the last calls that have no response yet. */
class OpenCalls {
  #names: string[] = []
  #hasResponse = false

  called(name: string) {
    if (this.#hasResponse) this.#names = []
    this.#hasResponse = false
    this.#names.push(name)
  }

  /** A response without a name answers the first open call (router-for-me/CLIProxyAPI#2104). */
  answered(given: string): string {
    this.#hasResponse = true
    const at = given === '' ? 0 : this.#names.indexOf(given)
    return at === -1 ? given : (this.#names.splice(at, 1)[0] ?? '')
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
  answers: (result, called) => {
    const [response, call] = [responseOf(result), callOf(called)]
    return nameOf(response) === nameOf(call) && (idOf(response) ?? idOf(call)) === idOf(call)
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

function acceptedPart(part: JsonRecord, open: OpenCalls): readonly unknown[] {
  if (Object.keys(part).every((name) => ABOUT_DATA.has(normalizeFieldName(name)))) return []
  const file = readField(part, 'fileData')
  if (file !== undefined) return textOf(readField(file, 'fileUri')) === '' ? [] : [part]
  const call = callOf(part)
  if (call !== undefined) {
    const args = readField(call, 'args') ?? {}
    if (nameOf(call) === '') return []
    open.called(nameOf(call))
    return isRecord(args)
      ? [part]
      : [withMember(part, 'functionCall', { args: { arguments: args } })]
  }
  const response = responseOf(part)
  if (response === undefined) return [part]
  const name = open.answered(nameOf(response))
  if (name === '') return RULES.told(part)
  const given = readField(response, 'response')
  if (name === nameOf(response) && isRecord(given)) return [part]
  const value = isRecord(given) ? given : given === undefined ? {} : { result: given }
  return [withMember(part, 'functionResponse', { name, response: value })]
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
