import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { readField } from './fields.ts'

/**
 * Whether any other API can express the contents, which have no media and end with a message or a
 * result of the client. They need not be read before a provider of another API gets them.
 */
export function isPlainRequest(request: JsonRecord): boolean {
  const contents = readField(request, 'contents')
  if (!Array.isArray(contents) || contents.length === 0) return false
  const instruction = readField(request, 'systemInstruction')
  const isInstructed = instruction === undefined || partsOf(instruction).every(isText)
  return isInstructed && isOfClient(contents.at(-1)) && contents.every(isPlain)
}

const partsOf = (content: unknown): unknown[] => {
  const parts = readField(content, 'parts')
  return Array.isArray(parts) && parts.length > 0 ? parts : [null]
}

const isText = (part: unknown) => textOf(readField(part, 'text')) !== ''

/** A text, or a result without media of its own. A result is read as such even with a text. */
const isTextOrResult = (part: unknown): boolean => {
  const response = readField(part, 'functionResponse')
  if (response === undefined) return isText(part)
  return isRecord(response) && readField(response, 'parts') === undefined
}

const isOfClient = (content: unknown): boolean => {
  const role = readField(content, 'role') ?? ''
  const isRead = role === 'user' || role === '' || role === 'function'
  return isRead && partsOf(content).every(isTextOrResult)
}

const isOfModel = (content: unknown): boolean =>
  readField(content, 'role') === 'model' &&
  partsOf(content).every((part) => isText(part) || isRecord(readField(part, 'functionCall')))

const isPlain = (content: unknown) => isOfClient(content) || isOfModel(content)
