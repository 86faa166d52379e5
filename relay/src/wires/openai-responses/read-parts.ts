import { isPresent, listOf, mapItems, member, textOf } from '../../bytes/json-value.ts'
import { type Block, type Loss, textBlock, textBlocks, textsOf } from '../../form/request.ts'
import { fileUrl } from '../../media/data-url.ts'
import { wordSet } from '../../provider.ts'
import { fieldError } from '../fields.ts'
import { resultContent } from '../openai-chat/call-input.ts'

const PART_TYPES: ReadonlySet<string> = wordSet(`
  input_text output_text text refusal input_image computer_screenshot input_file input_audio
`)

/** Parts of the history that no other API can express are named in a text. */
export function contentParts(content: unknown, path: string, isHistory: boolean): Block[] {
  if (typeof content === 'string') return textBlocks(content)
  if (!Array.isArray(content)) throw fieldError(path, 'must be a string or an array of parts')
  return content.flatMap((part: unknown, index) =>
    partOf(part, { path: `${path}[${index}]`, isHistory }),
  )
}

const LOST_IMAGE = textBlock('[An image that this model cannot read]')
const LOST_FILE = textBlock('[A file that this model cannot read]')
const LOST_PART = textBlock('[A part that this model cannot read]')
const LOST: ReadonlySet<Block> = new Set([LOST_IMAGE, LOST_FILE, LOST_PART])

/** Whether the block stands for a part that no other API can express. */
export const isLost = (block: Block): boolean => LOST.has(block)

/** What OpenAI has encrypted for its own models. */
const CIPHERTEXT = /^gAAAA/

/**
 * The parts of what one agent tells another (`agent_message`). Where OpenAI's models are not the
 * senders, Codex puts the text itself in place of the encrypted one (Wei-Shaw/sub2api#6887).
 */
export function agentParts(content: unknown): Block[] {
  if (typeof content === 'string') return textBlocks(content)
  const parts = listOf(content).map((part) => {
    const text = textOf(member(part, 'encrypted_content'))
    return text === '' || CIPHERTEXT.test(text) ? part : { type: 'input_text', text }
  })
  return contentParts(parts, '', true)
}

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
): string {
  const parts = contentParts(content, path, isHistory)
  const other = parts.findIndex(({ type }) => type !== 'text')
  if (other !== -1 && !isHistory) throw fieldError(`${path}[${other}].type`, 'must be a text here')
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

/** A tool's output. */
export const resultParts = (output: unknown, path: string): Block[] =>
  contentParts(outputValue(output), path, true)

/** A text or a list of parts, which has other values as texts. The same list if nothing changes. */
export function outputValue(output: unknown): string | readonly unknown[] {
  if (typeof output === 'string' || !isPresent(output)) return textOf(output)
  return mapItems<unknown>(Array.isArray(output) ? output : [output], (part) => {
    if (PART_TYPES.has(textOf(member(part, 'type')))) return part
    return { type: 'input_text', text: textOf(resultContent(part)) }
  })
}

type Place = { readonly path: string; readonly isHistory: boolean }

function refused(part: unknown, { path, isHistory }: Place, rule: string): Block[] {
  if (isHistory) return [lostPart(part)]
  throw fieldError(path, rule)
}

/** Nothing for an empty text, which some providers reject. */
function partOf(part: unknown, place: Place): Block[] {
  const type = member(part, 'type')
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal': {
      const text = member(part, type === 'refusal' ? 'refusal' : 'text')
      if (typeof text !== 'string') return refused(part, place, 'must have a text')
      return textBlocks(text)
    }
    case 'input_image':
    case 'computer_screenshot':
      return imagePart(part, place)
    case 'input_file':
      return filePart(part, place)
    case 'input_audio':
      return [audioBlock(member(part, 'input_audio'))]
    default:
      return refused(
        part,
        { ...place, path: `${place.path}.type` },
        `may not be '${textOf(type)}' here`,
      )
  }
}

const audioBlock = (audio: unknown): Block => ({
  type: 'audio',
  data: textOf(member(audio, 'data')),
  format: textOf(member(audio, 'format')),
})

function imagePart(part: unknown, place: Place): Block[] {
  const url = textOf(member(part, 'image_url'))
  if (url === '') {
    return refused(
      part,
      place,
      "must have an 'image_url', as an address or a data URL: no files are kept here",
    )
  }
  const given = textOf(member(part, 'detail'))
  // Chat completions have no value for the original size.
  const detail = given === 'original' ? 'high' : given
  return [{ type: 'image', url, ...(detail === '' || detail === 'auto' ? {} : { detail }) }]
}

function filePart(part: unknown, place: Place): Block[] {
  const data = fileUrl(textOf(member(part, 'file_data'))) || textOf(member(part, 'file_url'))
  if (data === '') {
    return refused(
      part,
      place,
      "must have its bytes as 'file_data', or a 'file_url': no files are kept here",
    )
  }
  const name = textOf(member(part, 'filename')) || 'document.pdf'
  return [{ type: 'file', name, data }]
}
