import assert from 'node:assert/strict'
import type { ChannelOffer } from '@tollgate/relay'
import { PNG } from '../client.ts'
import { HELLO } from '../received-chat.ts'
import { tellsTaskFailures } from './failures.ts'
import {
  type ReceivedTask,
  AUDIO,
  CHANGE,
  IMAGE_URL,
  PROMPT,
  QUESTION,
  SIZE,
  SOUND_BYTES,
  SPEECH,
  SPOKEN,
  SUBTITLES,
  TRANSCRIPT,
  WAV,
} from './received-task.ts'
import type { ImageForm, TestImage, TaskClient } from './task-client.ts'
import type { TaskRun } from './task-run.ts'

/*
 * The image, audio, moderation and Realtime features that every client tries with every provider.
 * Assertions check both ends, and the run checks the charge.
 */

export type TaskFeature = {
  name: string
  /** Null for features that concern every offer. */
  offer: ChannelOffer | null
  isIn: (client: TaskClient) => boolean
  run: (run: TaskRun) => Promise<void | 'address_only'>
  /**
   * Cost of the single request, with reported tokens (`told`) and with counted tokens (`counted`);
   * null if no request succeeds.
   */
  costs: { told: number; counted: number } | null
}

function onlyOf({ asked }: TaskRun): ReceivedTask {
  const [only, second] = asked()
  if (only === undefined || second !== undefined) throw new Error(`${asked().length} were asked`)
  return only
}

const PIXEL = { data: PNG }

function assertPicture(picture: TestImage | undefined, as: ImageForm) {
  const isUrl = as === 'url' || (as === 'either' && picture !== undefined && 'url' in picture)
  assert.deepEqual(picture, isUrl ? { url: IMAGE_URL } : PIXEL)
}

/** Throws if the client has no such call. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the client has no such call')
  return value
}

async function draws(run: TaskRun, as: ImageForm) {
  const [picture, ...more] = await present(run.client.draw?.[as])(run.place)
  assertPicture(picture, as)
  assert.deepEqual(more, [])
  assert.deepEqual(onlyOf(run), { task: 'draw', prompt: PROMPT, size: SIZE, count: 1 })
}

async function drawsInPieces(run: TaskRun, count: number) {
  const pictures = await present(run.client.streamDrawing)(run.place, count)
  assert.deepEqual(
    pictures,
    Array.from({ length: 2 * count }, () => PIXEL),
  )
  assert.deepEqual(onlyOf(run), { task: 'draw', prompt: PROMPT, size: SIZE, count })
}

async function redraws(run: TaskRun) {
  const { client, column, place } = run
  const isRead = client.redrawsData !== true || column.redrawsAddresses !== true
  const ended = await present(client.redraw)(place).catch((error: unknown) => {
    // The client reports an unreadable answer as an error with status 200.
    if (isRead || client.failureOf(error)?.status !== 200) throw error
    return 'address_only' as const
  })
  assert.deepEqual(onlyOf(run), { task: 'redraw', prompt: CHANGE, images: [PNG] })
  if (!isRead) {
    assert.equal(ended, 'address_only')
    return 'address_only'
  }
  assert.deepEqual(ended, [column.redrawsAddresses === true ? { url: IMAGE_URL } : PIXEL])
  return undefined
}

async function varies(run: TaskRun) {
  assert.deepEqual(await present(run.client.vary)(run.place), [{ url: IMAGE_URL }])
  assert.deepEqual(onlyOf(run), { task: 'vary', images: [PNG] })
}

async function speaks(run: TaskRun, speak: TaskClient['speak'], format?: 'wav') {
  const { voice = 'alloy' } = run.column
  const sound = await present(speak)(run.place, voice, format)
  const isOther = format === undefined && sound.equals(AUDIO)
  assert.ok(isOther || sound.equals(WAV), `${sound.length} bytes of another sound`)
  assert.deepEqual(onlyOf(run), { task: 'speak', text: SPOKEN, voice })
}

function assertHeard(run: TaskRun, translates: boolean) {
  const language = translates ? null : 'en'
  assert.deepEqual(onlyOf(run), { task: 'hear', audio: SPEECH, language, translates })
}

async function hears(run: TaskRun) {
  assert.equal(await present(run.client.hear)(run.place), TRANSCRIPT)
  assertHeard(run, false)
}

async function hearsInPieces(run: TaskRun) {
  const pieces = await present(run.client.hearInPieces)(run.place)
  assert.equal(pieces.slice(0, -1).join(''), TRANSCRIPT)
  assert.equal(pieces.at(-1), TRANSCRIPT)
  assert.ok(pieces.length > 2, 'the transcript has come in one piece')
  assertHeard(run, false)
}

async function hearsSubtitles(run: TaskRun) {
  assert.equal(await present(run.client.hearSubtitles)(run.place), SUBTITLES)
  assertHeard(run, false)
}

async function translates(run: TaskRun) {
  assert.equal(await present(run.client.translate)(run.place), TRANSCRIPT)
  assertHeard(run, true)
}

async function judges(run: TaskRun) {
  const texts = ['a fight', 'a war']
  assert.deepEqual(await present(run.client.judge)(run.place, texts), [true, true])
  assert.deepEqual(onlyOf(run), { task: 'judge', texts })
}

async function talks(run: TaskRun) {
  const { tokens, ...said } = await present(run.client.talk)(run.place, { text: QUESTION })
  assert.deepEqual(said, { text: HELLO })
  assert.equal(tokens, 200)
  assert.deepEqual(onlyOf(run), { task: 'talk', text: QUESTION, audio: Buffer.alloc(0) })
}

async function talksAloud(run: TaskRun) {
  const audio = Buffer.alloc(9600, 1)
  const { tokens, ...said } = await present(run.client.talk)(run.place, { audio })
  assert.deepEqual(said, { audio: Buffer.alloc(SOUND_BYTES) })
  assert.equal(tokens, 200)
  assert.deepEqual(onlyOf(run), { task: 'talk', text: '', audio })
}

const always = (cost: number) => ({ told: cost, counted: cost })

/** One DALL·E 3 image: 1000 tokens at 20. */
const IMAGE_COST = always(20_000)
/** (10 + 40 × 2 + 272 × 8) × 2.5 */
const IMAGE_TOKENS_COST = 5665
/** Counted: two text tokens, one image tile, the largest image: (2 + 194 × 2 + 6240 × 8) × 2.5. */
const REDRAWN_COST = { told: IMAGE_TOKENS_COST, counted: 125_775 }
/** Eleven characters at 7.5. */
const SPOKEN_COST = always(83)
/** Reported: (14 + 101 × 20) × 0.3. Counted, two text tokens and 2 s: (2 + 42 × 20) × 0.3. */
const SPOKEN_EVENTS_COST = { told: 611, counted: 253 }
/** 8.1 s count as nine seconds, which are thirty tokens at 15. */
const WHISPER_COST = always(450)
/** Reported: (10 × 1 + 90 × 2.4 + 20 × 4) × 0.625. Counted: nine seconds are 150 audio tokens. */
const HEARD_COST = { told: 192, counted: 225 }
/** (60 + 40 × 8 + 60 × 0.1 + 10 × 4 + 30 × 16) × 2 */
const TALK_COST = always(1812)

export const TASK_FEATURES: readonly TaskFeature[] = [
  {
    name: 'Image',
    offer: 'images',
    isIn: ({ draw }) => draw?.either !== undefined,
    run: (run) => draws(run, 'either'),
    costs: IMAGE_COST,
  },
  {
    name: 'Image by its address',
    offer: 'images',
    isIn: ({ draw }) => draw?.url !== undefined,
    run: (run) => draws(run, 'url'),
    costs: IMAGE_COST,
  },
  {
    name: 'Image as data',
    offer: 'images',
    isIn: ({ draw }) => draw?.data !== undefined,
    run: (run) => draws(run, 'data'),
    costs: IMAGE_COST,
  },
  {
    name: 'Image, streamed',
    offer: 'images',
    isIn: ({ streamDrawing: drawInPieces }) => drawInPieces !== undefined,
    run: (run) => drawsInPieces(run, 1),
    costs: always(IMAGE_TOKENS_COST),
  },
  {
    name: 'Two images, streamed',
    offer: 'images',
    isIn: ({ streamDrawing: drawInPieces }) => drawInPieces !== undefined,
    run: (run) => drawsInPieces(run, 2),
    costs: always(2 * IMAGE_TOKENS_COST),
  },
  {
    name: 'Image changed',
    offer: 'imageEdits',
    isIn: ({ redraw }) => redraw !== undefined,
    run: redraws,
    costs: REDRAWN_COST,
  },
  {
    name: 'Image varied',
    offer: 'imageVariations',
    isIn: ({ vary }) => vary !== undefined,
    run: varies,
    costs: always(8000),
  },
  {
    name: 'Speech',
    offer: 'speech',
    isIn: ({ speak }) => speak !== undefined,
    run: (run) => speaks(run, run.client.speak),
    costs: SPOKEN_COST,
  },
  {
    name: 'Speech as WAV',
    offer: 'speech',
    isIn: ({ speak }) => speak !== undefined,
    run: (run) => speaks(run, run.client.speak, 'wav'),
    costs: SPOKEN_COST,
  },
  {
    name: 'Speech, in events',
    offer: 'speech',
    isIn: ({ speakInEvents }) => speakInEvents !== undefined,
    run: (run) => speaks(run, run.client.speakInEvents, 'wav'),
    costs: SPOKEN_EVENTS_COST,
  },
  {
    name: 'Transcription',
    offer: 'transcriptions',
    isIn: ({ hear, hearsByToken }) => hear !== undefined && hearsByToken !== true,
    run: hears,
    costs: WHISPER_COST,
  },
  {
    name: 'Transcription, by the token',
    offer: 'transcriptions',
    isIn: ({ hear, hearsByToken }) => hear !== undefined && hearsByToken === true,
    run: hears,
    costs: HEARD_COST,
  },
  {
    name: 'Transcription, streamed',
    offer: 'transcriptions',
    isIn: ({ hearInPieces }) => hearInPieces !== undefined,
    run: hearsInPieces,
    costs: HEARD_COST,
  },
  {
    name: 'Subtitles',
    offer: 'transcriptions',
    isIn: ({ hearSubtitles }) => hearSubtitles !== undefined,
    run: hearsSubtitles,
    costs: WHISPER_COST,
  },
  {
    name: 'Translation',
    offer: 'translations',
    isIn: ({ translate }) => translate !== undefined,
    run: translates,
    costs: WHISPER_COST,
  },
  {
    name: 'Moderation',
    offer: 'moderations',
    isIn: ({ judge }) => judge !== undefined,
    run: judges,
    // Five tokens at the ratio 100 of OWN_RATIOS.
    costs: always(500),
  },
  {
    name: 'Realtime',
    offer: 'realtime',
    isIn: ({ talk }) => talk !== undefined,
    run: talks,
    costs: TALK_COST,
  },
  {
    name: 'Realtime, aloud',
    offer: 'realtime',
    isIn: ({ talk }) => talk !== undefined,
    run: talksAloud,
    costs: TALK_COST,
  },
  {
    name: 'Errors',
    offer: null,
    isIn: () => true,
    run: tellsTaskFailures,
    costs: null,
  },
]
