import { isRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { ModelCard } from '../cards/model-card.ts'
import { UnsupportedParameterError } from '../form/codec-errors.ts'

/**
 * Earlier turns and results of tools name what a model cannot read, if it reads text only. Messages
 * are those of a form, or have the form of chat completions. Throws `UnsupportedParameterError` if
 * the user asks about anything but texts.
 */
export function fitMedia<Message>(
  messages: readonly Message[],
  { content }: ModelCard,
): readonly Message[] {
  if (!content.takesTextOnly || !messages.some(hasMedia)) return messages
  const start = messages.findLastIndex((message) => member(message, 'role') === 'assistant') + 1
  // Dialects move the media of results into a message of the user behind them.
  const isOfTools = member(messages[start], 'role') === 'tool'
  return messages.map((message, index) => {
    if (!isRecord(message) || !hasMedia(message)) return message
    if (index < start || isOfTools) return { ...message, [listIn(message)]: told(message) }
    throw new UnsupportedParameterError(
      'This model reads text only: leave out images, audio and files, or ask another model.',
      `messages.${index}.content`,
    )
  })
}

const listIn = (message: unknown) =>
  isRecord(message) && 'blocks' in message ? 'blocks' : 'content'

const partsOf = (message: unknown) => listOf(member(message, listIn(message)))

const hasMedia = (message: unknown) => partsOf(message).some(isMedia)

const NO_MEDIA = ['text', 'refusal', 'seal', 'tool-call']

const isMedia = (part: unknown) => !NO_MEDIA.includes(textOf(member(part, 'type')))

const told = (message: unknown): unknown[] =>
  partsOf(message).map((part) =>
    isMedia(part) ? { type: 'text', text: `[${kindOf(part)} that this model cannot read]` } : part,
  )

const KINDS: Readonly<Record<string, string>> = {
  image: 'An image',
  image_url: 'An image',
  audio: 'A recording',
  input_audio: 'A recording',
  video_url: 'A video',
  file: 'A file',
}

const kindOf = (part: unknown) =>
  KINDS[textOf(member(part, 'type'))] ??
  KINDS[textOf(member(member(part, 'part'), 'type'))] ??
  'A part'
