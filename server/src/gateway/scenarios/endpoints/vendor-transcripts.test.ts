import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import { answerJson, type Behaviour } from '../../../../testing/fakes/scripted-upstream.ts'
import { readError, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

/* Transcripts of providers with OpenAI's path but not all of its formats. */

const MISTRAL = 28
const VOXTRAL = 'voxtral-mini-latest'
const PRICED: NonNullable<Parameters<typeof setUp>[1]>['options'] = [
  ['ModelRatio', JSON.stringify({ [VOXTRAL]: 5 })],
]
const TEXT = { text: 'Hello there.' }
const USAGE = { prompt_audio_seconds: 11, prompt_tokens: 4, completion_tokens: 9, total_tokens: 99 }
/** Eleven seconds are thirty-seven tokens, at 5 each: $0.002 a minute. */
const COST = 185

const file = () => new File([new Uint8Array(mp3(8.1))], 'a.mp3', { type: 'audio/mpeg' })

const clientOf = ({ url, key }: World) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }).audio.transcriptions

const answerEvents =
  (events: readonly object[]): Behaviour =>
  (response) => {
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  }

const openMistral = (behaviour: Behaviour) =>
  setUp([{ script: [behaviour], models: VOXTRAL, type: MISTRAL }], { options: PRICED })

describe('transcripts of Mistral', () => {
  test('are charged by the second, whatever their tokens', async () => {
    const world = await openMistral(answerJson({ ...TEXT, usage: USAGE }))
    const answer = await clientOf(world).create({ model: VOXTRAL, file: file() })
    expect(answer).toMatchObject(TEXT)
    expect((await world.books()).log).toMatchObject({ quota: COST })
  })

  test("are streamed as OpenAI's events, and charged the same", async () => {
    const events = [
      { type: 'transcription.language', audio_language: 'en' },
      { type: 'transcription.text.delta', text: 'Hello' },
      { type: 'transcription.text.delta', text: ' there.' },
      { type: 'transcription.done', model: VOXTRAL, ...TEXT, segments: [], usage: USAGE },
    ]
    const world = await openMistral(answerEvents(events))
    const stream = await clientOf(world).create({ model: VOXTRAL, file: file(), stream: true })
    const said: string[] = []
    for await (const one of stream) {
      if (one.type === 'transcript.text.delta') said.push(one.delta)
      if (one.type === 'transcript.text.done') said.push(one.text)
    }
    expect(said).toEqual(['Hello', ' there.', 'Hello there.'])
    expect((await world.books()).log).toMatchObject({ quota: COST, end_reason: 'finished' })
  })
})

const send = ({ url, key }: World, format: string) => {
  const body = new FormData()
  body.append('file', file())
  body.append('model', 'whisper-1')
  body.append('response_format', format)
  const headers = { authorization: `Bearer ${key}` }
  return fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body, headers })
}

test.each([
  ['Mistral', MISTRAL, 'sk-upstream'],
  ['Zhipu', 16, 'id.secret'],
])('%s, which returns only JSON, is not asked for subtitles', async (_name, type, key) => {
  const world = await setUp([{ script: [answerJson(TEXT)], models: 'whisper-1', type, key }])
  for (const format of ['srt', 'vtt', 'text']) {
    const answer = await send(world, format)
    expect(answer.status).toBe(400)
    expect(await readError(answer)).toMatchObject({ param: 'response_format' })
  }
  expect(world.calls()).toEqual([0])
  expect(await (await send(world, 'json')).json()).toEqual(TEXT)
  // Nine seconds, rounded up, at Whisper's 15.
  expect((await world.books()).account.used_quota).toBe(450)
})
