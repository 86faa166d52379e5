import { isRecord, listOf, member, stringifyOrEmpty, textOf } from '../../bytes/json-value.ts'
import {
  type Block,
  type FileBlock,
  type ImageBlock,
  type Loss,
  textBlock,
  textBlocks,
  textsOf,
} from '../../form/request.ts'
import { wordSet } from '../../provider.ts'
import { type FieldProblem, isFieldProblem, fieldProblem } from '../fields.ts'

const PART_TYPES: ReadonlySet<string> = wordSet(`
  input_text output_text text refusal input_image computer_screenshot input_file input_audio
`)

/** Parts of the history that no other API can express are named in a text. */
export function contentParts(
  content: unknown,
  path: string,
  isHistory: boolean,
): Block[] | FieldProblem {
  if (typeof content === 'string') return textBlocks(content)
  if (!Array.isArray(content)) return fieldProblem(path, 'must be a string or an array of parts')
  const parts: Block[] = []
  for (const [index, part] of content.entries()) {
    const read = partOf(part, `${path}[${index}]`)
    if (isFieldProblem(read)) {
      if (!isHistory) return read
      parts.push(lostPart(part))
    } else if (read !== null) parts.push(read)
  }
  return parts
}

const LOST_IMAGE = textBlock('[An image that this model cannot read]')
const LOST_FILE = textBlock('[A file that this model cannot read]')
const LOST_PART = textBlock('[A part that this model cannot read]')
const LOST: ReadonlySet<Block> = new Set([LOST_IMAGE, LOST_FILE, LOST_PART])

/** Whether the block stands for a part that no other API can express. */
export const isLost = (block: Block): boolean => LOST.has(block)

function lostPart(part: unknown): Block {
  switch (member(part, 'type')) {
    case 'input_image':
    case 'computer_screenshot':
      return LOST_IMAGE
    case 'input_file':
      return LOST_FILE
    default:
      return LOST_PART
  }
}

/** For roles whose content must be text. Other parts of the history are left out. */
export function plainText(
  content: unknown,
  path: string,
  { isHistory, losses }: { isHistory: boolean; losses: Set<Loss> },
): string | FieldProblem {
  const parts = contentParts(content, path, isHistory)
  if (isFieldProblem(parts)) return parts
  const other = parts.findIndex(({ type }) => type !== 'text')
  if (other !== -1 && !isHistory)
    return fieldProblem(`${path}[${other}].type`, 'must be a text here')
  const isText = (part: Block) => part.type === 'text' && !isLost(part)
  for (const part of parts) {
    if (!isText(part)) losses.add(part === LOST_PART ? 'messages' : 'media')
  }
  return textsOf(parts.filter(isText)).join('')
}

/** The assistant's texts, without other parts. */
export function spokenText(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => textOf(member(part, member(part, 'type') === 'refusal' ? 'refusal' : 'text')))
    .join('')
}

/** A tool's output. Values that are no parts of a message are written as JSON. */
export function resultParts(output: unknown, path: string): Block[] | FieldProblem {
  if (isRecord(output)) return resultParts([output], path)
  const written = listOf(output).map((part) =>
    isRecord(part) && !PART_TYPES.has(textOf(part['type']))
      ? { type: 'input_text', text: stringifyOrEmpty(part) }
      : part,
  )
  return contentParts(Array.isArray(output) ? written : (output ?? ''), path, true)
}

/** Null for an empty text, which some providers reject. */
function partOf(part: unknown, path: string): Block | null | FieldProblem {
  const type = member(part, 'type')
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal': {
      const text = member(part, type === 'refusal' ? 'refusal' : 'text')
      if (typeof text !== 'string') return fieldProblem(path, 'must have a text')
      return text === '' ? null : textBlock(text)
    }
    case 'input_image':
    case 'computer_screenshot':
      return imagePart(part, path)
    case 'input_file':
      return filePart(part, path)
    case 'input_audio':
      return audioBlock(member(part, 'input_audio'))
    default:
      return fieldProblem(`${path}.type`, `may not be '${textOf(type)}' here`)
  }
}

const audioBlock = (audio: unknown): Block => ({
  type: 'audio',
  data: textOf(member(audio, 'data')),
  format: textOf(member(audio, 'format')),
})

function imagePart(part: unknown, path: string): ImageBlock | FieldProblem {
  const url = textOf(member(part, 'image_url'))
  if (url === '') {
    return fieldProblem(
      path,
      "must have an 'image_url', as an address or a data URL: no files are kept here",
    )
  }
  const given = textOf(member(part, 'detail'))
  // Chat completions have no value for the original size.
  const detail = given === 'original' ? 'high' : given
  return { type: 'image', url, ...(detail === '' || detail === 'auto' ? {} : { detail }) }
}

function filePart(part: unknown, path: string): FileBlock | FieldProblem {
  const data = textOf(member(part, 'file_data'))
  if (data === '') {
    return fieldProblem(
      path,
      "must have its bytes as 'file_data': files by id or address are not possible",
    )
  }
  const name = textOf(member(part, 'filename')) || 'document.pdf'
  return { type: 'file', name, data }
}
