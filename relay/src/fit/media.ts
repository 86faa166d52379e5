import type { ModelCard } from '../cards/model-card.ts'
import { UnsupportedParameterError } from '../codec/provider-codec.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../json-value.ts'

/**
 * Earlier turns and results of tools name what a model cannot read, if it reads text only. Throws
 * `UnsupportedParameterError` if the user asks about anything but texts.
 */
export function fitMedia(messages: readonly unknown[], { content }: ModelCard): readonly unknown[] {
  if (!content.takesTextOnly || !messages.some(hasMedia)) return messages
  const isAnswer = (message: unknown) => member(message, 'role') === 'assistant'
  const start = messages.findLastIndex(isAnswer) + 1
  // Dialects move the media of results into a message of the user behind them.
  const isOfTools = member(messages[start], 'role') === 'tool'
  return messages.map((message, index) => {
    if (!isRecord(message) || !hasMedia(message)) return message
    if (index < start || isOfTools) return told(message)
    throw new UnsupportedParameterError(
      'This model reads text only: leave out images, audio and files, or ask another model.',
      `messages.${index}.content`,
    )
  })
}

const hasMedia = (message: unknown) => listOf(member(message, 'content')).some(isMedia)

const isMedia = (part: unknown) => !['text', 'refusal'].includes(textOf(member(part, 'type')))

function told(message: JsonRecord): JsonRecord {
  const content = listOf(message['content']).map((part) =>
    isMedia(part) ? { type: 'text', text: `[${kindOf(part)} that this model cannot read]` } : part,
  )
  return { ...message, content }
}

const KINDS: Readonly<Record<string, string>> = {
  image_url: 'An image',
  input_audio: 'A recording',
  video_url: 'A video',
  file: 'A file',
}

const kindOf = (part: unknown) => KINDS[textOf(member(part, 'type'))] ?? 'A part'
