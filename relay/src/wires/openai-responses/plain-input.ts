import { isRecord, type JsonRecord, listOf, textOf } from '../../bytes/json-value.ts'
import { wordSet } from '../../provider.ts'

/** Items that are never refused: of the model, and tools, which are read apart. */
const OTHER_ITEMS = wordSet(`
  reasoning function_call custom_tool_call web_search_call additional_tools
`)
const RESULTS = wordSet('function_call_output custom_tool_call_output')
const CLIENT_ROLES = wordSet('user system developer')
const TEXT_PARTS = wordSet('input_text output_text text')

/**
 * Whether any other API can express the input, which has no media and ends with a message or a
 * result of the client. Such an input need not be read before a provider of another API gets it.
 */
export function isPlainInput(input: string | readonly unknown[]): boolean {
  if (typeof input === 'string') return input !== ''
  const last = input.at(-1)
  return isRecord(last) && isOfClient(last) && input.every(isPlainItem)
}

const isPlainItem = (item: unknown): boolean =>
  isRecord(item) && (isOfClient(item) || isUnrefused(item))

const isMessage = ({ type }: JsonRecord) => type === 'message' || type === undefined

const isUnrefused = (item: JsonRecord): boolean =>
  isMessage(item) ? item['role'] === 'assistant' : OTHER_ITEMS.has(textOf(item['type']))

const isOfClient = (item: JsonRecord): boolean =>
  isMessage(item)
    ? CLIENT_ROLES.has(textOf(item['role'])) && isText(item['content'])
    : RESULTS.has(textOf(item['type'])) && isText(item['output'])

const isText = (content: unknown): boolean =>
  typeof content === 'string' ? content !== '' : isTextList(content)

const isTextList = (content: unknown): boolean => {
  const parts = listOf(content)
  return parts.length > 0 && parts.every(isTextPart)
}

const isTextPart = (part: unknown): boolean =>
  isRecord(part) && TEXT_PARTS.has(textOf(part['type'])) && textOf(part['text']) !== ''
