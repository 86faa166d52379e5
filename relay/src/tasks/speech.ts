import { audioSeconds } from '../audio-length/audio-length.ts'
import { countText } from '../count-tokens.ts'
import {
  type FieldProblem,
  invalid,
  missing,
  wrongType,
} from '../dialects/openai/request-fields.ts'
import { type JsonRecord, textOf } from '../json-value.ts'
import type { Answer } from '../relay-answer.ts'
import type { Measuring } from '../relay-request.ts'
import { PCM_BYTES_PER_SECOND, speechTokens } from '../speech-tokens.ts'
import { NO_USAGE, parseUsage, type Usage } from '../usage.ts'
import { readJsonTask, type TaskTerms } from './json-task.ts'
import { readSpoken, spokenEvents } from './spoken.ts'
import { eventsIn, looksWritten, TaskWatch, watchEvents } from './task-observer.ts'
import type { TaskReader } from './task.ts'
import { usageOfPieces } from './units.ts'

/** OpenAI's limit, in characters. */
const INPUT_LENGTH_MAX = 4096
/** Billed by the character everywhere, even if output has a price, so a smaller hold suffices. */
const SOLD_BY_CHARACTER = /^tts-1\b/
/** At a calm pace a Chinese character takes a quarter of a second, and a letter less. */
const USUAL_SECONDS = { letter: 1 / 15, ideograph: 1 / 4 }
/**
 * Upper bound: twice the usual time per character, for slow speech, plus a lead-in and a lead-out.
 */
const MOST_SECONDS = { character: 1 / 2, extra: 10 }
/** Tokens a model may add around the text. */
const EXTRA_TOKENS = 16
const SPEED = { least: 0.25, most: 4 }

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

function check({ input, instructions, speed, ...json }: JsonRecord): FieldProblem | null {
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

function checkSpeed(speed: unknown): FieldProblem | null {
  const { least, most } = SPEED
  if (isAbsent(speed)) return null
  if (typeof speed === 'number' && speed >= least && speed <= most) return null
  return invalid('speed', `must be a number from ${least} to ${most}`)
}

const checkStreamFormat = (format: unknown) =>
  isAbsent(format) || format === 'audio' || format === 'sse'
    ? null
    : invalid('stream_format', "must be 'audio' or 'sse'")

function termsOf(json: JsonRecord, model: string): TaskTerms {
  const input = textOf(json['input'])
  const text = [input, textOf(json['instructions'])].join('\n').trimEnd()
  const speed = typeof json['speed'] === 'number' ? json['speed'] : 1
  const secondsMost = secondsMostOf(input, speed)
  const textTokensMost = Buffer.byteLength(text) + EXTRA_TOKENS
  const isSoldByCharacter = SOLD_BY_CHARACTER.test(model)
  const boundsAt = (upstream: string) => ({
    promptTokensUpperBound: isSoldByCharacter ? lengthOf(input) : textTokensMost,
    outputLimit: isSoldByCharacter ? 0 : speechTokens(upstream, secondsMost),
  })
  return {
    ...boundsAt(model),
    boundsAt,
    readAnswer,
    watch,
    paysTokens: (how) => !isSoldByCharacter && paysTokens(how),
    measure: async (answer, how) => {
      const spoken = answer === null ? null : readSpoken(answer)
      if (isSoldByCharacter || !paysTokens(how)) {
        const told = isSoldByCharacter ? undefined : spoken?.characters
        const count = Math.min(told ?? lengthOf(input), textTokensMost)
        return usageOfPieces({ unit: 'character', count })
      }
      const audio = answer === null ? null : (spoken?.audio ?? audioOf(answer))
      const heard = audio === null ? null : secondsIn(audio, json['response_format'])
      const seconds = Math.min(heard ?? usualSeconds(input) / speed, secondsMost)
      const promptTokens = await countTokens(text, how)
      const tokens = speechTokens(how.model, seconds)
      return spokenUsage(Math.min(promptTokens, textTokensMost), tokens)
    },
    finish: (answer, { usage }) => {
      const spoken = readSpoken(answer)
      if (spoken === null) return { body: answer, form: 'media' }
      if (json['stream_format'] !== 'sse') {
        return { body: spoken.audio, form: 'media', contentType: spoken.contentType }
      }
      return { body: spokenEvents(spoken, usage), form: 'events' }
    },
  }
}

function secondsMostOf(input: string, speed: number): number {
  const { character, extra } = MOST_SECONDS
  return (lengthOf(input) * character + extra) / Math.min(1, speed)
}

/** Upper bound on audio tokens to hold for a text at normal speed. */
export const audioTokensMost = (model: string, input: string) =>
  speechTokens(model, secondsMostOf(input, 1))

const paysTokens = ({ completionRatio }: Measuring) => completionRatio > 1

const countTokens = (text: string, how: Measuring) => countText(how.model, text, how)

const spokenUsage = (promptTokens: number, completionTokens: number): Usage => ({
  ...NO_USAGE,
  promptTokens,
  completionTokens,
  kinds: [{ kind: 'audio_completion', tokens: completionTokens }],
})

function usualSeconds(input: string): number {
  const ideographs = lengthOf(
    input.replaceAll(/[^\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu, ''),
  )
  const { letter, ideograph } = USUAL_SECONDS
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

function watch(contentType: string): TaskWatch | null {
  return /^(?:audio\/|application\/octet-stream\b)/i.test(contentType)
    ? new TaskWatch(contentType, null)
    : watchEvents(contentType, { last: ['speech.audio.done'], readUsage: parseUsage })
}

function readAnswer(body: Buffer, contentType: string): Answer {
  const isWritten = looksWritten(body) || /^text\//i.test(contentType)
  const spoken = readSpoken(body)
  return {
    complete: spoken !== null || (body.length > 0 && !isWritten),
    form: 'media',
    model: null,
    usage: spoken?.usage ?? null,
    outputText: () => '',
  }
}
