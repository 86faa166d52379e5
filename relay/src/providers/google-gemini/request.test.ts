import { describe, expect, test } from 'vitest'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { isRecord, type JsonRecord, member, parseJson } from '../../json-value.ts'
import { geminiCodec } from './codec.ts'
import { encoded, functionTool, QUESTION, refusal } from './testing/encoded.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const HOST = 'https://generativelanguage.googleapis.com'

const toolCall = (id: string, name: string, more: JsonRecord = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: '{"tz":"UTC"}' },
  ...more,
})
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })

describe('the address', () => {
  const METHOD = 'models/gemini-2.5-flash:generateContent'

  test.each([
    [{}, `${HOST}/v1beta/${METHOD}`],
    [{ other: 'v1' }, `${HOST}/v1/${METHOD}`],
    [{ other: 'nonsense/../' }, `${HOST}/v1beta/${METHOD}`],
    [{ baseUrl: 'https://a.example/v1/', other: 'v1beta' }, `https://a.example/v1/${METHOD}`],
    [{ baseUrl: 'https://a.example/g?k=v' }, `https://a.example/g/v1beta/${METHOD}?k=v`],
  ])('for %j', (channel, url) => {
    expect(encoded({}, { channel }).url).toBe(url)
  })

  test.each([
    ['tunedModels/mine', 'tunedModels/mine'],
    ['models/gemini-pro', 'models/gemini-pro'],
    ['../files', 'models/..%2Ffiles'],
  ])('of the model %s', (model, resource) => {
    expect(encoded({}, { model }).url).toBe(`${HOST}/v1beta/${resource}:generateContent`)
  })

  test('of a stream asks for events', () => {
    const method = 'gemini-2.5-flash:streamGenerateContent'
    expect(encoded({}, { stream: true }).url).toBe(`${HOST}/v1beta/models/${method}?alt=sse`)
    const channel = { baseUrl: 'https://a.example?k=v' }
    const { url, headers } = encoded({}, { stream: true, channel })
    expect(url).toBe(`https://a.example/v1beta/models/${method}?k=v&alt=sse`)
    expect(headers).toEqual({
      'x-goog-api-key': 'AIza-x',
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
    })
  })
})

test('a text with system prompts and settings', () => {
  const { json } = encoded({
    messages: [
      { role: 'system', content: 'Be short.' },
      ...QUESTION,
      { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
    ],
    temperature: 1.4,
    top_p: 0.5,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    seed: 7,
    n: 2,
    stop: 'END',
    max_tokens: 10,
    max_completion_tokens: 20,
    user: 'u1',
    logprobs: true,
    top_logprobs: 3,
  })
  const threshold = 'BLOCK_NONE'
  expect(json).toEqual({
    systemInstruction: { parts: [{ text: 'Be short.' }, { text: 'In French.' }] },
    contents: [{ role: 'user', parts: [{ text: 'What time is it?' }] }],
    safetySettings: [
      { category: 'HARM_CATEGORY_HARASSMENT', threshold },
      { category: 'HARM_CATEGORY_HATE_SPEECH', threshold },
      { category: 'HARM_CATEGORY_SEXUALLY_EXPLICIT', threshold },
      { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold },
    ],
    generationConfig: {
      temperature: 1.4,
      topP: 0.5,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 7,
      candidateCount: 2,
      maxOutputTokens: 20,
      stopSequences: ['END'],
      responseLogprobs: true,
      logprobs: 3,
    },
  })
})

test('a conversation with attachments, parallel tools and their results', () => {
  const messages = [
    { role: 'assistant', content: 'Hello.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Compare.' },
        { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
        { type: 'file', file: { file_id: `${HOST}/v1beta/files/abc` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [toolCall('c1', 'get_time'), toolCall('c2', 'get_time')],
    },
    result('c2', [
      { type: 'text', text: '13:00' },
      { type: 'image_url', image_url: { url: PNG } },
    ]),
    result('c1', '{"time":"12:00"}'),
    { role: 'user', content: 'So?' },
  ]
  const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } })
  const functionCall = { name: 'get_time', args: { tz: 'UTC' } }
  expect(encoded({ messages }).json['contents']).toEqual([
    { role: 'user', parts: [{ text: 'Continue.' }] },
    { role: 'model', parts: [{ text: 'Hello.' }] },
    {
      role: 'user',
      parts: [
        { text: 'Compare.' },
        inline('image/png', 'iVBORw0KGgo='),
        inline('audio/wav', 'UklG'),
        inline('application/pdf', 'JVBERi0='),
        { fileData: { fileUri: `${HOST}/v1beta/files/abc` } },
      ],
    },
    { role: 'model', parts: [{ functionCall }, { functionCall }] },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'get_time', response: { time: '12:00' } } },
        { functionResponse: { name: 'get_time', response: { result: '13:00' } } },
        inline('image/png', 'iVBORw0KGgo='),
        { text: 'So?' },
      ],
    },
  ])
})

test('a model without a place for a system prompt reads it first', () => {
  const messages = [{ role: 'system', content: 'Be short.' }, ...QUESTION]
  const { json } = encoded({ messages }, { model: 'gemma-3-27b-it' })
  expect(json).not.toHaveProperty('systemInstruction')
  expect(json['contents']).toEqual([
    { role: 'user', parts: [{ text: 'Be short.' }, { text: 'What time is it?' }] },
  ])
})

describe('signatures', () => {
  const google = (thought_signature: string) => ({
    extra_content: { google: { thought_signature } },
  })
  const asked = (message: JsonRecord, model: string) => {
    const { json } = encoded({ messages: [...QUESTION, message, result('c1', 'x')] }, { model })
    const [, said, answered] = Array.isArray(json['contents']) ? json['contents'] : []
    return [member(said, 'parts'), member(answered, 'parts')]
  }
  const calls = [toolCall('c1', 'get_time'), toolCall('c2', 'get_date')]
  const args = { tz: 'UTC' }

  test('and ids go back with the calls they came with', () => {
    const parts = [
      { text: 'I look.', thoughtSignature: 'sig-1' },
      { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 'sig-2' },
      { functionCall: { id: 'c1', name: 'get_time', args }, thoughtSignature: 'sig-3' },
      { functionCall: { id: 'c2', name: 'get_date', args } },
    ]
    const answer = { candidates: [{ content: { parts }, finishReason: 'STOP' }] }
    const message = messageOf(
      decodeWhole(geminiCodec.answers, Buffer.from(JSON.stringify(answer)), {
        endpoint: 'chat',
        request: {},
        model: 'gemini-3.5-flash',
        stream: false,
        channel: { baseUrl: '', key: '', other: '' },
        now: 0,
        id: 'request-7',
      }),
    )
    expect(asked(message, 'gemini-3.5-flash')).toEqual([
      parts,
      [{ functionResponse: { id: 'c1', name: 'get_time', response: { result: 'x' } } }],
    ])
  })

  test('that are lost have one in their place where they have to be', () => {
    const message = { role: 'assistant', tool_calls: calls }
    const [said] = asked(message, 'gemini-3.5-flash')
    expect(said).toEqual([
      {
        functionCall: { id: 'c1', name: 'get_time', args },
        thoughtSignature: 'skip_thought_signature_validator',
      },
      { functionCall: { id: 'c2', name: 'get_date', args } },
    ])
    expect(asked(message, 'gemini-2.5-pro')[0]).toEqual([
      { functionCall: { name: 'get_time', args } },
      { functionCall: { name: 'get_date', args } },
    ])
  })

  test('of a later call leave the first alone', () => {
    const tool_calls = [toolCall('c1', 'get_time'), toolCall('c2', 'get_date', google('sig'))]
    expect(asked({ role: 'assistant', tool_calls }, 'gemini-3.5-flash')[0]).toEqual([
      { functionCall: { id: 'c1', name: 'get_time', args } },
      { functionCall: { id: 'c2', name: 'get_date', args }, thoughtSignature: 'sig' },
    ])
  })
})

function messageOf(body: Buffer): JsonRecord {
  const choices = member(parseJson(body.toString()), 'choices')
  const message = member(Array.isArray(choices) ? choices[0] : undefined, 'message')
  return isRecord(message) ? message : {}
}

describe('refused is', () => {
  const part = (value: unknown) => ({ messages: [{ role: 'user', content: [value] }] })
  const PART = 'messages.0.content.0'

  test.each<[JsonRecord, string]>([
    [{ n: 9 }, 'n'],
    [{ stop: ['1', '2', '3', '4', '5', '6'] }, 'stop'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ audio: { voice: 'x' } }, 'audio'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ function_call: 'auto' }, 'function_call'],
    [{ tools: [{ type: 'web_search' }] }, 'tools.0'],
    [{ tools: [functionTool('x')], tool_choice: 7 }, 'tool_choice'],
    [part({ type: 'video_url', video_url: {} }), PART],
    [part({ type: 'input_audio', input_audio: { format: 'x' } }), `${PART}.input_audio.format`],
    [part({ type: 'file', file: { file_id: 'file-1' } }), `${PART}.file`],
    [part({ type: 'image_url', image_url: 'https://a.example/a.png' }), `${PART}.image_url`],
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'function', content: '' }] }, 'messages.0.role'],
    [{ messages: [result('unknown', 'x')] }, 'messages.0.tool_call_id'],
    [{ messages: [{ role: 'assistant', tool_calls: [7] }] }, 'messages.0.tool_calls.0'],
    [
      { messages: [{ role: 'assistant', function_call: { name: 'x' } }] },
      'messages.0.function_call',
    ],
  ])('%j', (request, param) => {
    expect(refusal(request)).toBe(param)
  })
})
