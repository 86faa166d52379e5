import { normalizeFieldName } from '../../bytes/json-members.ts'
import { isRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { wordSet } from '../../provider.ts'
import { readField } from './fields.ts'

/** Members of a part that say something about its data. */
const ABOUT_DATA = wordSet('thought thoughtsignature videometadata mediaresolution partmetadata')

/**
 * Whether Gemini refuses the contents: a turn of the model whose calls do not have as many
 * responses in the next turn, or a content without data
 * (https://ai.google.dev/gemini-api/docs/function-calling). Contents of the same role are a turn.
 */
export function isBrokenHistory(contents: readonly unknown[]): boolean {
  let calls = 0
  let responses = 0
  let isModel = false
  for (const content of contents) {
    const parts = listOf(readField(content, 'parts'))
    if (parts.length === 0 || parts.some(isRefusedPart)) return true
    const isAnswer = member(content, 'role') === 'model'
    if (isAnswer && !isModel) {
      if (calls !== responses) return true
      calls = 0
      responses = 0
    }
    isModel = isAnswer
    calls += parts.filter(isCall).length
    responses += parts.filter(isResponse).length
    if (responses > calls) return true
  }
  return !isModel && calls !== responses
}

const isCall = (part: unknown) => readField(part, 'functionCall') !== undefined
const isResponse = (part: unknown) => readField(part, 'functionResponse') !== undefined

function isRefusedPart(part: unknown): boolean {
  if (!isRecord(part)) return false
  if (Object.keys(part).every((name) => ABOUT_DATA.has(normalizeFieldName(name)))) return true
  const file = readField(part, 'fileData')
  if (file !== undefined && textOf(readField(file, 'fileUri')) === '') return true
  const call = readField(part, 'functionCall')
  if (call !== undefined) return !isRecord(readField(call, 'args') ?? {})
  const response = readField(part, 'functionResponse')
  if (response === undefined) return false
  return textOf(readField(response, 'name')) === '' || !isRecord(readField(response, 'response'))
}
