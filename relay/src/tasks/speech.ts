import { audioSeconds } from '../audio-length/audio-length.ts'
import { type JsonRecord, textOf } from '../bytes/json-value.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import type { MeasureContext } from '../relay-request.ts'
import { countText } from '../tokens/count-text.ts'
import { PCM_BYTES_PER_SECOND, speechTokens } from '../tokens/speech-tokens.ts'
import type { AnswerSummary } from '../usage/answer-summary.ts'
import { NO_USAGE, parseUsage, type Usage } from '../usage/usage.ts'
import { invalid, missing, wrongType } from '../wires/openai-chat/check-fields.ts'
import { readJsonTask, type TaskTerms } from './json-task.ts'
import { parseSpeech, speechEvents } from './speech-answer.ts'
import { eventsIn, looksLikeText, TaskObserver, observeEvents } from './task-observer.ts'
import type { TaskReader } from './task.ts'
import { usageForUnits } from './units.ts'

/** OpenAI's limit, in characters. */
const INPUT_LENGTH_MAX = 4096
/** Billed by the character everywhere, even if output has a price, so a smaller hold suffices. */
export const PRICED_PER_CHARACTER = /^tts-1\b/
/** At a calm pace a Chinese character takes a quarter of a second, and a letter less. */
const TYPICAL_SECONDS = { letter: 1 / 15, ideograph: 1 / 4 }
/**
 * Upper bound: twice the usual time per character, for slow speech, plus a lead-in and a lead-out.
 */
const MAX_SECONDS = { character: 1 / 2, extra: 10 }
/** Tokens a model may add around the text. */
const EXTRA_TOKENS = 16
const SPEED = { min: 0.25, max: 4 }

/**
 * Speech is charged by the character, as counted by the provider if it reports characters. If
 * output has a price of its own, speech is charged by reported tokens, or else by the tokens of the
 * text and of the audio, whose length is read from the answer.
 */
export const readSpeech: TaskReader = (endpoint, body) =>
  readJsonTask(
    { endpoint, body },
    {
      metered: ['input', 'instructions', 'speed', 'response_format', 'stream_format'],
      check,
      terms: ({ json }, model) => termsOf(json, model),
    },
  )

function check({ input, instructions, speed, ...json }: JsonRecord): RequestProblem | null {
  if (input === undefined || input === null) return missing('input', 'Give the text to speak')
  if (typeof input !== 'string') return wrongType('input', 'a string')
  if (input === '') return invalid('input', 'must not be empty')
  // Counting the characters of a huge text takes seconds. A character has at most two UTF-16 units,
  // so the length excludes such texts first.
  if (input.length > 2 * INPUT_LENGTH_MAX || lengthOf(input) > INPUT_LENGTH_MAX) {
    return {
      ...invalid('input', `must have at most ${INPUT_LENGTH_MAX} characters`),
      code: 'text_too_long',
    }
  }
  return (
    checkText(instructions, 'instructions') ??
    checkText(json['response_format'], 'response_format') ??
    checkSpeed(speed) ??
    checkStreamFormat(json['stream_format'])
  )
}

/** OpenAI counts Unicode code points. */
const lengthOf = (text: string) => [...text].length

const isAbsent = (value: unknown) => value === undefined || value === null

const checkText = (value: unknown, name: string) =>
  isAbsent(value) || typeof value === 'string' ? null : wrongType(name, 'a string')

function checkSpeed(speed: unknown): RequestProblem | null {
  const { min, max } = SPEED
  if (isAbsent(speed)) return null
  if (typeof speed === 'number' && speed >= min && speed <= max) return null
  return invalid('speed', `must be a number from ${min} to ${max}`)
}

const checkStreamFormat = (format: unknown) =>
  isAbsent(format) || format === 'audio' || format === 'sse'
    ? null
    : invalid('stream_format', "must be 'audio' or 'sse'")

function termsOf(json: JsonRecord, model: string): TaskTerms {
  const input = textOf(json['input'])
  const text = [input, textOf(json['instructions'])].join('\n').trimEnd()
  const speed = typeof json['speed'] === 'number' ? json['speed'] : 1
  const maxSeconds = maxDuration(input, speed)
  const maxTextTokens = Buffer.byteLength(text) + EXTRA_TOKENS
  const isPricedPerCharacter = PRICED_PER_CHARACTER.test(model)
  const boundsAt = (upstream: string) => ({
    promptTokensUpperBound: isPricedPerCharacter ? lengthOf(input) : maxTextTokens,
    outputLimit: isPricedPerCharacter ? 0 : speechTokens(upstream, maxSeconds),
  })
  return {
    ...boundsAt(model),
    boundsFor: boundsAt,
    readAnswer,
    observe,
    chargesTokens: (context) => !isPricedPerCharacter && chargesTokens(context),
    measure: async (answer, context) => {
      const speech = answer === null ? null : parseSpeech(answer)
      if (isPricedPerCharacter || !chargesTokens(context)) {
        const reportedCharacters = isPricedPerCharacter ? undefined : speech?.characters
        const count = Math.min(reportedCharacters ?? lengthOf(input), maxTextTokens)
        return usageForUnits({ unit: 'character', count })
      }
      const audio = answer === null ? null : (speech?.audio ?? audioOf(answer))
      const measuredSeconds = audio === null ? null : secondsIn(audio, json['response_format'])
      const seconds = Math.min(measuredSeconds ?? typicalSeconds(input) / speed, maxSeconds)
      const promptTokens = await countTokens(text, context)
      const tokens = speechTokens(context.model, seconds)
      return speechUsage(Math.min(promptTokens, maxTextTokens), tokens)
    },
    finish: (answer, { usage }) => {
      const speech = parseSpeech(answer)
      if (speech === null) return { body: answer, form: 'media' }
      if (json['stream_format'] !== 'sse') {
        return { body: speech.audio, form: 'media', contentType: speech.contentType }
      }
      return { body: speechEvents(speech, usage), form: 'events' }
    },
  }
}

function maxDuration(input: string, speed: number): number {
  const { character, extra } = MAX_SECONDS
  return (lengthOf(input) * character + extra) / Math.min(1, speed)
}

/** Upper bound on audio tokens to hold for a text at normal speed. */
export const maxSpeechTokens = (model: string, input: string) =>
  speechTokens(model, maxDuration(input, 1))

const chargesTokens = ({ completionRatio }: MeasureContext) => completionRatio > 1

const countTokens = (text: string, context: MeasureContext) =>
  countText(context.model, text, context)

const speechUsage = (promptTokens: number, completionTokens: number): Usage => ({
  ...NO_USAGE,
  promptTokens,
  completionTokens,
  kinds: [{ kind: 'audio_completion', tokens: completionTokens }],
})

function typicalSeconds(input: string): number {
  const ideographs = lengthOf(
    input.replaceAll(/[^\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu, ''),
  )
  const { letter, ideograph } = TYPICAL_SECONDS
  return ideographs * ideograph + (lengthOf(input) - ideographs) * letter
}

function secondsIn(audio: Buffer, format: unknown): number | null {
  return format === 'pcm' ? audio.length / PCM_BYTES_PER_SECOND : audioSeconds(audio)
}

function audioOf(answer: Buffer): Buffer {
  const events = eventsIn(answer)
  if (events === null) return answer
  return Buffer.concat(events.map(({ audio }) => Buffer.from(textOf(audio), 'base64')))
}

function observe(contentType: string): TaskObserver | null {
  return /^(?:audio\/|application\/octet-stream\b)/i.test(contentType)
    ? new TaskObserver(contentType, null)
    : observeEvents(contentType, { finalTypes: ['speech.audio.done'], readUsage: parseUsage })
}

function readAnswer(body: Buffer, contentType: string): AnswerSummary {
  const isText = looksLikeText(body) || /^text\//i.test(contentType)
  const speech = parseSpeech(body)
  return {
    complete: speech !== null || (body.length > 0 && !isText),
    form: 'media',
    model: null,
    usage: speech?.usage ?? null,
    outputText: () => '',
  }
}
