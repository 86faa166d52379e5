import { audioSeconds } from '../audio-length/audio-length.ts'
import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, member } from '../bytes/json-value.ts'
import { isRequestProblem, type RequestProblem } from '../errors/request-problem.ts'
import { parameterError } from '../form/codec-errors.ts'
import type { AnswerSummary } from '../usage/answer-summary.ts'
import { NO_USAGE, parseUsage, type Usage } from '../usage/usage.ts'
import { reportedError } from '../wires/openai-chat/answer-summary.ts'
import { invalid, unsupported } from '../wires/openai-chat/check-fields.ts'
import { asksStream, fileIn, readFormTask } from './form-task.ts'
import { fieldOf, type FormPart, readForm } from './form.ts'
import type { TaskTerms } from './json-task.ts'
import { eventsIn, observeEvents } from './task-observer.ts'
import type { TaskReader } from './task.ts'
import { tokensForUnits, usageForUnits } from './units.ts'

/** OpenAI's limit. */
const FILE_BYTES_MAX = 25 * 1024 * 1024
/** OpenAI's only model for years, so requests without a model mean this model. */
const DEFAULT_MODEL = 'whisper-1'
/** Billed by the second everywhere, whatever usage is reported. */
export const PRICED_PER_SECOND = /whisper/i
/** Every speech codec in use has at least 6 kbit/s, which bounds the duration of a file. */
const BYTES_PER_SECOND_MIN = 750
/** OpenAI estimates $0.006 a minute for gpt-4o-transcribe, and a million audio tokens cost $6. */
const TOKENS_PER_SECOND = 1000 / 60
/**
 * OpenAI's audio has ten tokens a second, and speech has fewer than twenty text tokens a second.
 */
const TOKENS_PER_SECOND_MAX = { input: 25, output: 20 }
const EXTRA_TOKENS = 100
/**
 * A provider may measure a recording slightly longer than its file plays, because of padding and
 * rounding.
 */
const LENGTH_FACTOR = 1.1
const LENGTH_SLACK = 2
const TEXT_FORMATS = ['text', 'srt', 'vtt']
const FORMATS = ['json', 'verbose_json', 'diarized_json', ...TEXT_FORMATS]
/**
 * Fields that some providers accept in place of the file. The duration of such audio is unknown
 * here.
 */
const REMOTE_FILE_FIELDS = ['url', 'file_url', 'file_id']

/**
 * Transcriptions and translations of audio. They are charged by reported tokens, or else by the
 * second, as reported or as the file lasts. If output has a price of its own, seconds are converted
 * to tokens.
 */
export const readTranscription: TaskReader = (endpoint, body, contentType) => {
  let fileSeconds = 0
  return readFormTask(
    { endpoint, body, contentType },
    {
      defaultModel: DEFAULT_MODEL,
      metered: ['response_format', ...REMOTE_FILE_FIELDS],
      fileBytesMax: FILE_BYTES_MAX,
      streams: endpoint === 'transcriptions',
      check: (parts) => {
        const file = fileIn(parts, 'file')
        if ('message' in file) return file
        const seconds = audioSeconds(file.bytes)
        fileSeconds = wholeSeconds(seconds ?? maxDuration(file.bytes))
        return checkLength(file.bytes, fileSeconds) ?? check(parts)
      },
      terms: (parts, model) => termsOf(parts, model, fileSeconds),
    },
  )
}

/**
 * For providers that would answer in another format than the requested text or subtitles. Throws
 * `UnsupportedParameterError`.
 */
export function rejectTextTranscript(body: Buffer, contentType: string): void {
  const limits = { metered: new Set<string>(), fileBytesMax: FILE_BYTES_MAX }
  const parts = readForm(body, contentType, limits)
  if (isRequestProblem(parts) || !TEXT_FORMATS.includes(formatOf(parts))) return
  throw parameterError('This provider returns transcripts as JSON only.', 'response_format')
}

const maxDuration = ({ length }: Buffer) => Math.ceil(length / BYTES_PER_SECOND_MIN)

/** Days of silence fit into a few megabytes, and providers bill them. */
function checkLength(audio: Buffer, seconds: number): RequestProblem | null {
  const maxSeconds = Math.max(1, maxDuration(audio))
  if (seconds <= maxSeconds) return null
  const rule = `must have no more seconds of audio than fit into its size, which are ${maxSeconds}`
  return invalid('file', rule)
}

function check(parts: readonly FormPart[]): RequestProblem | null {
  const extraFile = parts.find(({ name, file }) => file !== null && name !== 'file')
  if (extraFile !== undefined) return unsupported(extraFile.name, "Send one recording, as 'file'")
  const remoteField = REMOTE_FILE_FIELDS.find((name) => fieldOf(parts, name) !== undefined)
  if (remoteField !== undefined) return unsupported(remoteField, "Send the audio itself as 'file'")
  const format = formatOf(parts)
  if (FORMATS.includes(format)) return null
  return invalid('response_format', `must be one of ${FORMATS.join(', ')}`)
}

const formatOf = (parts: readonly FormPart[]) => fieldOf(parts, 'response_format') || 'json'

function termsOf(parts: readonly FormPart[], model: string, fileSeconds: number): TaskTerms {
  const isPricedPerSecond = PRICED_PER_SECOND.test(model)
  const isTextFormat = TEXT_FORMATS.includes(formatOf(parts))
  return {
    ...tokenBounds(parts, { seconds: fileSeconds, isPricedPerSecond }),
    readAnswer: (body) => readAnswer(body, isTextFormat),
    ...(asksStream(parts) ? { observe } : {}),
    chargesTokens: ({ model: name }) => !isPricedPerSecond && !PRICED_PER_SECOND.test(name),
    measure: (answer, { completionRatio, onImplausible: onOverruled }) => {
      const reported = answer === null ? null : reportedSeconds(answer)
      const isPlausible =
        reported !== null && reported <= fileSeconds * LENGTH_FACTOR + LENGTH_SLACK
      const seconds = isPlausible ? reported : fileSeconds
      if (reported !== null && !isPlausible)
        onOverruled?.(usageForUnits({ unit: 'second', count: reported }))
      return isPricedPerSecond || completionRatio <= 1
        ? usageForUnits({ unit: 'second', count: seconds })
        : audioPromptUsage(Math.ceil(seconds * TOKENS_PER_SECOND))
    },
  }
}

function tokenBounds(
  parts: readonly FormPart[],
  { seconds, isPricedPerSecond }: { seconds: number; isPricedPerSecond: boolean },
): Pick<TaskTerms, 'promptTokensUpperBound' | 'outputLimit'> {
  const unitTokens = tokensForUnits({ unit: 'second', count: seconds })
  if (isPricedPerSecond) return { promptTokensUpperBound: unitTokens, outputLimit: 0 }
  const textBytes = parts.reduce((sum, { file, bytes }) => sum + (file ? 0 : bytes.length), 0)
  const { input: maxInput, output: maxOutput } = TOKENS_PER_SECOND_MAX
  return {
    promptTokensUpperBound: seconds * maxInput + textBytes + EXTRA_TOKENS,
    outputLimit: seconds * maxOutput + EXTRA_TOKENS,
  }
}

const audioPromptUsage = (promptTokens: number): Usage => ({
  ...NO_USAGE,
  promptTokens,
  kinds: [{ kind: 'audio_prompt', tokens: promptTokens }],
})

function readAnswer(body: Buffer, isTextFormat: boolean): AnswerSummary {
  const json = jsonIn(body)
  const isJson = typeof member(json, 'text') === 'string' && reportedError(json) === null
  const isText = isTextFormat && body.length > 0 && !isRecord(json) && !isPage(body)
  return {
    complete: isJson || isText,
    form: isJson ? 'json' : 'text',
    model: null,
    usage: reportedTokens(member(json, 'usage')),
    outputText: () => '',
  }
}

/** Unlike `looksLikeText`: Whisper's text for music starts with a bracket. */
const isPage = (body: Buffer) => /^\s*<(?:!doctype|html)/i.test(body.toString('latin1', 0, 64))

/** Mistral reports text tokens together with the seconds, but bills the seconds. */
const reportedTokens = (usage: unknown) =>
  member(usage, 'prompt_audio_seconds') === undefined ? parseUsage(usage) : null

/** Whole seconds, as OpenAI rounds them; null if no valid number is reported. */
function reportedSeconds(answer: Buffer): number | null {
  const json = eventsIn(answer)?.at(-1) ?? jsonIn(answer)
  const usage = member(json, 'usage')
  const candidates = [
    member(usage, 'seconds'),
    member(usage, 'prompt_audio_seconds'),
    member(json, 'duration'),
  ]
  const seconds = candidates.map(Number).find((value) => Number.isFinite(value) && value > 0)
  return seconds === undefined ? null : wholeSeconds(seconds)
}

/** Rounds up, but ignores rounding errors in sums of frame lengths. */
const wholeSeconds = (seconds: number) => Math.max(1, Math.ceil(Math.round(seconds * 1000) / 1000))

const observe = (contentType: string) =>
  observeEvents(contentType, { finalTypes: [LAST_EVENT], readUsage: reportedTokens, translate })

const LAST_EVENT = 'transcript.text.done'

/** Mistral has other names for OpenAI's events, and OpenAI's clients wait for OpenAI's names. */
function translate(event: JsonRecord): JsonRecord {
  const { type, text, ...rest } = event
  if (type === 'transcription.done') return { type: LAST_EVENT, text, ...rest }
  if (type !== 'transcription.text.delta') return event
  return { type: 'transcript.text.delta', delta: text, ...rest }
}
