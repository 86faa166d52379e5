import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import { answerJson, type Behaviour } from '../../../../testing/fakes/scripted-upstream.ts'
import { readError, setUp, type Setup } from '../../../../testing/worlds/relay-scenario.ts'

/*
 * Speech of providers that answer in their own JSON, requested in OpenAI's format.
 */

const path = '/v1/audio/speech'
const AUDIO = mp3(6.012)

type Options = NonNullable<Setup['options']>

const priced = (model: string, ratio: number, completion: number): Options => [
  ['ModelRatio', JSON.stringify({ [model]: ratio })],
  ['CompletionRatio', JSON.stringify({ [model]: completion })],
  ['PreConsumedQuota', '0'],
]

describe('speech of MiniMax', () => {
  const model = 'speech-2.8-hd'
  /** Four letters, and two ideographs that count twice. */
  const asked = { model, input: 'Hi! 你好', voice: 'male-qn-qingse' }
  const spoken = (usage_characters?: number) =>
    answerJson({
      data: { audio: AUDIO.toString('hex'), status: 2 },
      extra_info: { audio_length: 6012, usage_characters },
      trace_id: 't',
      base_resp: { status_code: 0, status_msg: 'success' },
    })
  const open = (script: Behaviour[], setup: Setup = {}) =>
    setUp([{ script, models: model, type: 27 }], { options: priced(model, 50, 0), ...setup })

  test('is charged by the characters MiniMax reports', async () => {
    const world = await open([spoken(8)])
    const answer = await world.ask({ ...asked, speed: 2 }, { path })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer()).equals(AUDIO)).toBe(true)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe('/v1/t2a_v2')
    expect(sent?.headers.authorization).toBe('Bearer sk-upstream')
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      model,
      text: asked.input,
      stream: false,
      output_format: 'hex',
      voice_setting: { voice_id: asked.voice, speed: 2 },
      audio_setting: { format: 'mp3', channel: 1 },
    })
    const { log } = await world.books()
    expect(log).toMatchObject({ quota: 400, prompt_tokens: 8, end_reason: 'finished' })
    // Ten bytes, and sixteen more characters.
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      held: 26 * 50,
      measured: { unit: 'character', count: 8 },
    })
  })

  test.each([
    ['counted, if none are reported', undefined, 6],
    ['as many as there are, where none are said to have been', 0, 6],
    ['counted, if a negative number is reported', -8, 6],
    ['never more than are held', 9999, 26],
  ])('is charged per character: %s', async (_what, told, paid) => {
    const world = await open([spoken(told)])
    await (await world.ask(asked, { path })).arrayBuffer()
    expect((await world.books()).log).toMatchObject({ quota: paid * 50, prompt_tokens: paid })
  })

  test('is sent as events on request', async () => {
    const world = await open([spoken(8)])
    const answer = await world.ask({ ...asked, stream_format: 'sse' }, { path })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const events = (await answer.text()).split('\n\n').slice(0, -1)
    expect(events.map((event): unknown => JSON.parse(event.replace(/^data: /, '')))).toEqual([
      { type: 'speech.audio.delta', audio: AUDIO.toString('base64') },
      {
        type: 'speech.audio.done',
        usage: { input_tokens: 8, output_tokens: 0, total_tokens: 8 },
      },
    ])
    expect((await world.books()).log).toMatchObject({ quota: 400 })
  })

  test('that fails with status 200 costs nothing, and is retried', async () => {
    const failure = answerJson({ base_resp: { status_code: 1002, status_msg: 'rate limit' } })
    const script = [failure, spoken(8)]
    const options: Options = [...priced(model, 50, 0), ['RetryTimes', '1']]
    const world = await open(script, { options })
    expect((await world.ask(asked, { path })).status).toBe(200)
    expect(world.calls()).toEqual([2])
    expect((await world.books()).logs.map(({ quota }) => quota)).toEqual([400])
  })

  test('is refused for parameters without an equivalent at MiniMax', async () => {
    const world = await open([spoken(8)])
    const answer = await world.ask({ ...asked, response_format: 'opus' }, { path })
    expect(answer.status).toBe(400)
    const error = await readError(answer)
    expect(error).toMatchObject({ param: 'response_format' })
    expect(error.message).toContain('mp3 or pcm or flac or wav')
    expect(world.calls()).toEqual([0])
    expect((await world.books()).log).toMatchObject({ quota: 0, outcome: 'void' })
  })
})

describe('speech of Mistral', () => {
  const model = 'voxtral-mini-tts-2603'
  const asked = { model, input: 'Héllo 🎉', voice: 'en_paul_neutral' }
  const open = (script: Behaviour[]) =>
    setUp([{ script, models: model, type: 28 }], { options: priced(model, 8, 0) })

  test('is charged per character', async () => {
    const world = await open([answerJson({ audio_data: AUDIO.toString('base64') })])
    const answer = await world.ask(asked, { path })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer()).equals(AUDIO)).toBe(true)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(path)
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      model,
      input: asked.input,
      voice_id: asked.voice,
      response_format: 'mp3',
      stream: false,
    })
    expect((await world.books()).log).toMatchObject({ quota: 56, prompt_tokens: 7 })
  })

  test('is refused with instructions, which Mistral does not accept', async () => {
    const world = await open([answerJson({})])
    const answer = await world.ask({ ...asked, instructions: 'slowly' }, { path })
    expect(answer.status).toBe(400)
    expect(await readError(answer)).toMatchObject({ param: 'instructions' })
    expect(world.calls()).toEqual([0])
  })
})

describe('speech of Gemini', () => {
  const model = 'gemini-2.5-flash-preview-tts'
  const asked = { model, input: 'one two', voice: 'Kore', response_format: 'wav' }
  const SAMPLES = Buffer.alloc(96_000, 7)
  const spoken = (usageMetadata?: object) => {
    const inlineData = {
      mimeType: 'audio/L16;codec=pcm;rate=24000',
      data: SAMPLES.toString('base64'),
    }
    return answerJson({ candidates: [{ content: { parts: [{ inlineData }] } }], usageMetadata })
  }
  const open = (script: Behaviour[]) =>
    setUp([{ script, models: model, type: 24 }], { options: priced(model, 0.25, 20) })

  test('is charged by the tokens Google reports', async () => {
    const usage = { promptTokenCount: 3, candidatesTokenCount: 51, totalTokenCount: 54 }
    const world = await open([spoken(usage)])
    const answer = await world.ask(asked, { path })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('audio/wav')
    const audio = Buffer.from(await answer.arrayBuffer())
    expect(audio.toString('latin1', 0, 4)).toBe('RIFF')
    expect(audio.subarray(44).equals(SAMPLES)).toBe(true)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(`/v1beta/models/${model}:generateContent`)
    expect(sent?.headers['x-goog-api-key']).toBe('sk-upstream')
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'one two' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        // Limited to what is held.
        maxOutputTokens: 338,
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    })
    const { log } = await world.books()
    // (3 + 51 × 20) × 0.25
    expect(log).toMatchObject({ quota: 256, prompt_tokens: 3, completion_tokens: 51 })
    // Input of seven bytes and 16 more; 13.5 seconds at 25 tokens each.
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      usage_source: 'reported',
      held: Math.ceil((23 + 338 * 20) * 0.25),
    })
  })

  test('is charged by its length if nothing is reported', async () => {
    const world = await open([spoken()])
    await (await world.ask(asked, { path })).arrayBuffer()
    expect((await world.books()).log).toMatchObject({ prompt_tokens: 2, completion_tokens: 50 })
  })

  test('is refused for formats that Gemini does not produce', async () => {
    const world = await open([spoken()])
    const answer = await world.ask({ ...asked, response_format: 'mp3' }, { path })
    expect(answer.status).toBe(400)
    const error = await readError(answer)
    expect(error).toMatchObject({ param: 'response_format' })
    expect(error.message).toContain('wav or pcm')
    expect(world.calls()).toEqual([0])
  })
})
