import { describe, expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { isRequestProblem } from '../errors/request-problem.ts'
import { accepted } from '../errors/testing/accepted.ts'
import { azureOpenai } from '../providers/azure-openai/descriptor.ts'
import { custom } from '../providers/generic/descriptor.ts'
import { openai } from '../providers/openai-compatible/descriptor.ts'
import { realtimeCall } from './call.ts'
import { promptAddition, readClientEvent } from './client-event.ts'
import { Conversation, inputAudioTokens, NO_TOKENS, outputAudioTokens } from './conversation.ts'
import { appendedBytes, readEvent, responseIdOf, readOutputDelta } from './event.ts'
import { INITIAL_SETTINGS, outputLimitOf, readSettings } from './settings.ts'

describe('the address of a session', () => {
  const ask = { other: '', key: 'sk-1\r\nx: y', model: 'gpt-realtime', isPreview: false }
  const urlOf = (parts: Partial<Parameters<typeof realtimeCall>[0]>) =>
    realtimeCall({ descriptor: openai, baseUrl: '', ...ask, ...parts })?.url

  test.each([
    [openai, '', 'wss://api.openai.com/v1/realtime?model=gpt-realtime'],
    [openai, 'http://p.example/v1/', 'ws://p.example/v1/realtime?model=gpt-realtime'],
    [openai, 'https://p.example?a=1', 'wss://p.example/v1/realtime?a=1&model=gpt-realtime'],
    [custom, 'https://p.example/v2', 'wss://p.example/v2/realtime?model=gpt-realtime'],
    [
      custom,
      'https://p.example/a/chat/completions',
      'wss://p.example/a/realtime?model=gpt-realtime',
    ],
    [custom, '', undefined],
    [custom, 'not an address', undefined],
    [openai, 'ftp://p.example', undefined],
  ])('$name.en at %j', (descriptor, baseUrl, expected) => {
    expect(urlOf({ descriptor, baseUrl })).toBe(expected)
  })

  test.each([
    ['2024-10-21', 'openai/realtime?api-version=2024-10-21&deployment=gpt-41-rt'],
    ['', 'openai/realtime?api-version=2023-06-01-preview&deployment=gpt-41-rt'],
    ['v1', 'openai/v1/realtime?model=gpt-4.1-rt'],
    ['preview', 'openai/v1/realtime?api-version=preview&model=gpt-4.1-rt'],
  ])('at Azure, version %j', (other, path) => {
    const at = 'https://my.openai.azure.com/openai/'
    const parts = { descriptor: azureOpenai, baseUrl: at, other, model: 'gpt-4.1-rt' }
    expect(urlOf(parts)).toBe(`wss://my.openai.azure.com/${path}`)
    expect(realtimeCall({ ...ask, ...parts, isPreview: true })?.headers).toEqual({
      'api-key': 'sk-1x: y',
      'openai-beta': 'realtime=v1',
    })
  })

  test.each([
    [openai, '', 'wss://api.openai.com/v1/realtime?intent=transcription'],
    [azureOpenai, 'v1', 'wss://my.openai.azure.com/openai/v1/realtime?intent=transcription'],
    [
      azureOpenai,
      '2025-04-01-preview',
      'wss://my.openai.azure.com/openai/realtime?api-version=2025-04-01-preview&intent=transcription',
    ],
  ])('that only transcribes, at $name.en (%s)', (descriptor, other, expected) => {
    const baseUrl = descriptor === openai ? '' : 'https://my.openai.azure.com'
    expect(urlOf({ descriptor, baseUrl, other, isTranscription: true })).toBe(expected)
  })

  test('with a key that cannot be two headers', () => {
    const { headers } = realtimeCall({ descriptor: openai, baseUrl: '', ...ask }) ?? {}
    expect(headers).toEqual({ authorization: 'Bearer sk-1x: y' })
  })
})

const eventOf = (json: object) => {
  const event = finish(readEvent(Buffer.from(JSON.stringify(json))))
  if (event === null) throw new Error('no event')
  return event
}

test.each([
  ['response.output_text.delta', { text: 'AAAA', audioBytes: 0 }],
  ['response.text.delta', { text: 'AAAA', audioBytes: 0 }],
  ['response.output_audio_transcript.delta', { text: 'AAAA', audioBytes: 0 }],
  ['response.function_call_arguments.delta', { text: 'AAAA', audioBytes: 0 }],
  ['response.output_audio.delta', { text: '', audioBytes: 3 }],
  ['response.audio.delta', { text: '', audioBytes: 3 }],
  ['response.output_audio.done', null],
  ['conversation.item.input_audio_transcription.delta', null],
])('contents of %s', (type, said) => {
  expect(readOutputDelta(eventOf({ type, delta: 'AAAA', response_id: 'r' }))).toEqual(said)
})

test('an event names its response in one of two places', () => {
  expect(responseIdOf(eventOf({ type: 'x', response_id: 'r1' }))).toBe('r1')
  expect(responseIdOf(eventOf({ type: 'x', response: { id: 'r2' } }))).toBe('r2')
  expect(responseIdOf(eventOf({ type: 'x' }))).toBe('')
  expect(appendedBytes(eventOf({ type: 'x', audio: 'AAAA' }))).toBe(3)
})

describe('the settings of a session', () => {
  const FINAL = {
    audio: {
      input: {
        format: { type: 'audio/pcmu' },
        transcription: { model: 'whisper-1' },
        turn_detection: { type: 'server_vad', create_response: false },
      },
      output: { format: { type: 'audio/pcm', rate: 16_000 } },
    },
    max_output_tokens: 100,
    output_modalities: ['text'],
    instructions: 'Be kind.',
  }
  const PREVIEW = {
    input_audio_format: 'g711_ulaw',
    output_audio_format: 'pcm16',
    input_audio_transcription: { model: 'whisper-1' },
    turn_detection: null,
    max_response_output_tokens: 'inf',
    modalities: ['text', 'audio'],
    tools: [{ type: 'function', name: 'f' }],
  }
  const TOOLS = '{"instructions":"","tools":[{"type":"function","name":"f"}]}'
  test.each([
    ['its final form', FINAL, 32_000, 100, false, '{"instructions":"Be kind."}'],
    ['that of the preview', PREVIEW, 48_000, Infinity, true, TOOLS],
  ])(
    'are read in %s',
    (_form, given, outputBytesPerSecond, outputLimit, allowsAudio, instructions) => {
      expect(readSettings(given)).toEqual({
        inputBytesPerSecond: 8000,
        outputBytesPerSecond,
        transcriptionModel: 'whisper-1',
        respondsAutomatically: false,
        outputLimit,
        allowsAudio,
        instructions,
      })
    },
  )

  test.each([
    [{ audio: { input: { turn_detection: null } } }, false],
    [{ turn_detection: null }, false],
    [{ audio: { input: {} }, turn_detection: null }, false],
    [{ audio: { input: { turn_detection: {} } } }, true],
    [{}, true],
  ])('contain who answers speech: %j', (session, respondsAutomatically) => {
    expect(readSettings(session)).toMatchObject({ respondsAutomatically })
  })

  test('assume the most expensive values if there are none', () => {
    const instructions = ''
    expect({ ...readSettings('nonsense'), instructions }).toEqual(INITIAL_SETTINGS)
  })
})

test.each([
  [{}, null],
  [{ max_output_tokens: null }, null],
  ['nonsense', null],
  [{ max_output_tokens: 100 }, 100],
  [{ max_response_output_tokens: 100 }, 100],
  [{ max_output_tokens: 'inf' }, Infinity],
  [{ max_response_output_tokens: 'inf' }, Infinity],
  [{ max_output_tokens: 0 }, Infinity],
  [{ max_output_tokens: 1.5 }, Infinity],
])('the output that %j limits', (terms, limit) => {
  expect(outputLimitOf(terms)).toBe(limit)
})

test('the session model is removed from an event of a client', () => {
  const audio = '"audio":{"input":{"transcription":{"model":"w"}}}'
  const sent = `{"type":"session.update","session":{"model":"m",${audio}}}`
  const read = accepted(finish(readClientEvent(Buffer.from(sent), 'm')))
  expect(read.frame.toString()).toBe(`{"type":"session.update","session":{${audio}}}`)
  expect(read.transcriptionModel).toBe('w')
})

describe('the transcription model is read wherever a provider could read it', () => {
  const update = (session: unknown) => JSON.stringify({ type: 'session.update', session })
  const problemOf = (frame: string) => {
    const read = finish(readClientEvent(Buffer.from(frame), 'm'))
    return isRequestProblem(read) ? read.param : read.transcriptionModel
  }

  const both = (transcription: unknown, preview: unknown) => ({
    audio: { input: { transcription } },
    input_audio_transcription: preview,
  })

  test.each([
    [{ input_audio_transcription: { model: 'w' } }, 'w'],
    [both({ language: 'en' }, { model: 'w' }), 'w'],
    [both({ model: 'w' }, { model: 'w' }), 'w'],
    [both(null, null), null],
  ])('in %j', (session, model) => {
    expect(problemOf(update(session))).toBe(model)
  })

  test.each([
    both({ model: 'v' }, { model: 'w' }),
    { input_audio_transcription: { model: ['w'] } },
    { audio: { input: { transcription: { model: 1 } } } },
  ])('two models, or one that is not a string, are refused: %j', (session) => {
    expect(problemOf(update(session))).toBe('session.audio.input.transcription.model')
  })

  test.each([
    ['{"type":"session.update","Session":{"model":"x"}}', 'Session'],
    ['{"type":"session.update","\u017fession":{"model":"x"}}', '\u017fession'],
    [update({ Model: 'x' }), 'session.Model'],
    [update({ Audio: {} }), 'session.Audio'],
    [update({ audio: { INPUT: {} } }), 'session.audio.INPUT'],
    [update({ audio: { input: { Transcription: {} } } }), 'session.audio.input.Transcription'],
    [update({ Input_Audio_Transcription: {} }), 'session.Input_Audio_Transcription'],
    [
      update({ input_audio_transcription: { MODEL: 'w' } }),
      'session.input_audio_transcription.MODEL',
    ],
    [update({ Max_Output_Tokens: 'inf' }), 'session.Max_Output_Tokens'],
    ['{"type":"response.create","response":{"Model":"x"}}', 'response.Model'],
    ['{"type":"input_audio_buffer.append","Audio":"AAAA"}', 'Audio'],
  ])('in another spelling it is refused: %s', (frame, param) => {
    expect(problemOf(frame)).toBe(param)
  })
})

test('an item adds its text bytes, its audio and its images', () => {
  const item = {
    type: 'message',
    content: [
      { type: 'input_text', text: 'Grüße' },
      { type: 'input_audio', audio: 'AAAA', transcript: 'Hi' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ],
  }
  const addition = promptAddition(item, () => 0)
  expect(addition).toMatchObject({ text: 'Grüße\nHi', audioBytes: 3, images: 1 })
  const rest = JSON.stringify(item).length + 2 - 'AAAA'.length - 'data:image/png;base64,AAAA'.length
  expect(addition.textBytes).toBe(rest)
})

describe("the upper bound of a conversation's tokens", () => {
  const text = (said: string) => {
    const textBytes = Buffer.byteLength(said)
    return { text: said, textBytes, audioBytes: 0, images: 0 }
  }
  const usage = {
    input_tokens: 100,
    input_token_details: { audio_tokens: 30, image_tokens: 10, text_tokens: 60 },
  }
  const countWords = async (said: string) => said.split(/\s+/).length

  test('has one token per byte of text, ten per second of input audio, twenty of output audio', () => {
    const conversation = new Conversation()
    conversation.add(text('Hello'), 0)
    conversation.add({ ...text(''), images: 2 }, inputAudioTokens(48_000, 48_000))
    conversation.appendAudio(7)
    expect(conversation.upperBound()).toEqual({ text: 5, audio: 17, image: 3072 })
    expect(outputAudioTokens(48_000, 48_000)).toBe(20)
    expect(inputAudioTokens(1, 8000)).toBe(1)
  })

  test('starts from reported usage, and adds only later items', async () => {
    const conversation = new Conversation()
    conversation.add(text('x'.repeat(1000)), 50)
    const mark = conversation.mark()
    conversation.add(text('since then'), 5)
    conversation.applyUsage(mark, usage)
    expect(conversation.upperBound()).toEqual({ text: 70, audio: 35, image: 10 })
    conversation.applyUsage(mark, { input_tokens: 0 })
    conversation.applyUsage(mark, null)
    expect(conversation.upperBound().text).toBe(70)
    const [later, earlier] = [conversation.mark(), mark].map((at) =>
      conversation.estimateAt(at, countWords),
    )
    expect(await later).toEqual({ text: 62, audio: 35, image: 10 })
    expect(await earlier).toEqual({ text: 60, audio: 30, image: 10 })
  })

  test('keeps of input audio only the detected speech', () => {
    const conversation = new Conversation()
    conversation.appendAudio(100)
    conversation.speechStarted(8000)
    expect(conversation.upperBound().audio).toBe(20)
    conversation.speechStopped(9000)
    expect(conversation.commit()).toBe(10)
    conversation.appendAudio(40)
    expect(conversation.commit()).toBe(40)
    conversation.appendAudio(40)
    conversation.clear()
    expect(conversation.upperBound().audio).toBe(50)
  })

  test("never exceeds the model's window, and what is stored is bounded", async () => {
    const conversation = new Conversation()
    for (let count = 0; count < 50; count += 1) conversation.add(text('word '.repeat(2000)), 1000)
    const { text: textTokens, audio } = conversation.upperBound()
    expect([textTokens, audio]).toEqual([78_000, 50_000])
    const counted = await conversation.estimateAt(conversation.mark(), countWords)
    expect(counted.text).toBeGreaterThan(50_000)
    conversation.applyUsage(conversation.mark(), { input_tokens: 10 ** 8 })
    expect(conversation.upperBound()).toEqual({ ...NO_TOKENS, text: 128_000 })
  })
})
