import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { type Block, type Loss, textBlock, textBlocks } from '../../form/request.ts'
import { isAtGoogle } from '../../media/data-url.ts'
import { fieldError } from '../fields.ts'
import { readField, readListField } from './fields.ts'

export type PlacedPart = {
  readonly part: unknown
  /** In the request, such as `contents.0.parts.1`. */
  readonly path: string
  /** Parts that no other API can express are left out, and noted as losses. */
  readonly isHistory: boolean
  readonly losses: Set<Loss>
}

export function placedParts(
  content: unknown,
  path: string,
  { losses, isHistory = false }: Pick<PlacedPart, 'losses'> & { isHistory?: boolean },
): PlacedPart[] {
  const place = `${path}.parts`
  return readListField(content, 'parts', place).map((part, at) => ({
    part,
    path: `${place}.${at}`,
    isHistory,
    losses,
  }))
}

/** Reads a text or medium; none for an empty text. */
export function messageParts({ part, path, isHistory, losses }: PlacedPart): Block[] {
  const text = readField(part, 'text')
  if (typeof text === 'string') return textBlocks(text)
  const [inline, file] = [readField(part, 'inlineData'), readField(part, 'fileData')]
  const isReadable = (...texts: unknown[]) => !isHistory || !texts.map(textOf).includes('')
  if (isRecord(inline) && isReadable(readField(inline, 'mimeType'), readField(inline, 'data'))) {
    return [inlinePart(inline, `${path}.inlineData`)]
  }
  if (isRecord(file) && isReadable(readField(file, 'fileUri'))) {
    return [filePart(file, `${path}.fileData`)]
  }
  const code = codeBlock(part)
  if (code !== null) return [textBlock(code)]
  const isSigned = readField(part, 'thoughtSignature') !== undefined
  if (isHistory) {
    const isMedium = inline !== undefined || file !== undefined
    if (isMedium || !isSigned) losses.add(isMedium ? 'media' : 'messages')
    return []
  }
  // The part has only a signature.
  if (isSigned) return []
  throw fieldError(
    path,
    'is a part that is not possible here: it can be text, inlineData or fileData',
  )
}

/** Code that Google ran, or what it printed. */
function codeBlock(part: unknown): string | null {
  const [code, result] = [readField(part, 'executableCode'), readField(part, 'codeExecutionResult')]
  if (!isRecord(code) && !isRecord(result)) return null
  const language = textOf(readField(code, 'language')).toLowerCase()
  const text = textOf(readField(code, 'code') ?? readField(result, 'output'))
  return `\n\`\`\`${language}\n${text}\n\`\`\`\n`
}

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
  ['audio/aiff', 'aiff'],
  ['audio/aac', 'aac'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
])

function inlinePart(inline: JsonRecord, path: string): Block {
  const mimeType = textOf(readField(inline, 'mimeType')).toLowerCase()
  const data = textOf(readField(inline, 'data')).replaceAll('-', '+').replaceAll('_', '/')
  if (mimeType === '') throw fieldError(`${path}.mimeType`, 'must be the type of the data')
  if (data === '') throw fieldError(`${path}.data`, 'must be data in base64')
  const url = `data:${mimeType};base64,${data}`
  if (mimeType.startsWith('image/')) return { type: 'image', url }
  if (mimeType.startsWith('text/')) {
    return textBlock(Buffer.from(data, 'base64').toString('utf8'))
  }
  const format = AUDIO_FORMATS.get(mimeType)
  if (format !== undefined) return { type: 'audio', data, format }
  const known = mimeType === 'application/pdf' ? 'document.pdf' : 'file'
  const name = textOf(readField(inline, 'displayName')) || known
  return { type: 'file', name, data: url }
}

function filePart(file: JsonRecord, path: string): Block {
  const uri = textOf(readField(file, 'fileUri'))
  if (uri === '') throw fieldError(`${path}.fileUri`, 'must be the address of the file')
  if (isAtGoogle(uri)) return { type: 'file', id: uri }
  const isImage = textOf(readField(file, 'mimeType')).startsWith('image/')
  return isImage ? { type: 'image', url: uri } : { type: 'file', data: uri }
}
