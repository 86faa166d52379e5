import { isRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { ModelCard } from '../cards/model-card.ts'
import { parameterError } from '../form/codec-errors.ts'
import { isMarked, lastAnswerIn } from '../form/history-mark.ts'
import type { Adaptations } from './adaptations.ts'

/**
 * Earlier turns and results of tools name what a model cannot read, if it reads text only. Messages
 * are those of a form, or have the form of chat completions. Throws `UnsupportedParameterError` if
 * the user asks about anything but texts.
 */
export function fitMedia<Message>(
  messages: readonly Message[],
  { content }: ModelCard,
): readonly Message[] {
  if (!content.takesTextOnly) return messages
  const readable = withNamedMedia(messages, () => false)
  const refused = readable.findIndex(hasMedia)
  if (refused === -1) return readable
  throw parameterError(
    'This model reads text only: leave out images, audio and files, or ask another model.',
    `messages.${refused}.content`,
  )
}

type PartOf<Message> = Message extends { readonly blocks: readonly (infer Part)[] } ? Part : unknown

/**
 * Names the parts of earlier turns and of results that the provider does not take: the client
 * cannot change what was said. What the user asks about stays for the codec to refuse. The same
 * list if nothing changes.
 */
export function withNamedMedia<Message>(
  messages: readonly Message[],
  isTaken: (part: PartOf<Message>) => boolean,
  adaptations?: Adaptations,
): readonly Message[] {
  // Safe because only parts of the messages are given.
  const isRefused = (part: unknown) => isMedia(part) && !isTaken(part as PartOf<Message>)
  if (!messages.some((message) => partsOf(message).some(isRefused))) return messages
  const start = lastAnswerIn(messages, isAnswer) + 1
  // Dialects move the media of results into a message of the user behind them.
  const isOfTools = member(messages[start], 'role') === 'tool'
  const question = messages.findLastIndex((message) => member(message, 'role') === 'user')
  // Earlier questions whose answers are left out.
  const marked = messages.findLastIndex((message, at) => at < question && isMarked(message)) + 1
  const end = isOfTools ? messages.length : Math.max(start, marked)
  const isNamed = (message: Message, index: number) =>
    index < end && partsOf(message).some(isRefused)
  if (!messages.some(isNamed)) return messages
  adaptations?.note('media')
  return messages.map((message, index) => {
    if (!isRecord(message) || !isNamed(message, index)) return message
    const parts = partsOf(message).map((part) => (isRefused(part) ? named(part) : part))
    return { ...message, [listIn(message)]: parts }
  })
}

const isAnswer = (message: unknown) => member(message, 'role') === 'assistant'

const listIn = (message: unknown) =>
  isRecord(message) && 'blocks' in message ? 'blocks' : 'content'

const partsOf = (message: unknown) => listOf(member(message, listIn(message)))

const hasMedia = (message: unknown) => partsOf(message).some(isMedia)

const NO_MEDIA = ['text', 'refusal', 'seal', 'tool-call']

const isMedia = (part: unknown) =>
  typeof part !== 'string' && !NO_MEDIA.includes(textOf(member(part, 'type')))

const named = (part: unknown) => ({
  type: 'text',
  text: `[${kindOf(part)} that this model cannot read]`,
})

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
