import { expect, test } from 'vitest'
import { descriptorOf } from '../../catalogue.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, type RequestProblem } from '../../request-problem.ts'
import { finish } from '../../steps.ts'
import { encodeRequest, requestForCodec } from '../openai/request.ts'
import { type GeminiMethod, readGeminiRequest } from './request.ts'

const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

const read = (json: object, method: GeminiMethod = 'generateContent', model = 'gemini-x') =>
  finish(readGeminiRequest(Buffer.from(JSON.stringify(json)), { model, method }))

function accepted(result: RelayRequest | RequestProblem): RelayRequest {
  if (isRequestProblem(result)) throw new Error(result.message)
  return result
}

const chat = (parts: object = {}) => accepted(read({ ...HI, ...parts }).asked).json()
const messages = (...contents: object[]) => chat({ contents })['messages']
const user = (...parts: object[]) => ({ role: 'user', parts })
const model = (...parts: object[]) => ({ role: 'model', parts })

function refusal(parts: object, method?: GeminiMethod) {
  const { asked } = read({ ...HI, ...parts }, method)
  const refused = isRequestProblem(asked) ? asked : asked.native?.obstacle
  if (!refused) throw new Error('nothing was refused')
  expect(refused.message).toContain(refused.param ?? '')
  return refused.param
}

const SETTINGS = {
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  maxOutputTokens: 100,
  stopSequences: ['x'],
  candidateCount: 2,
  seed: 7,
  presencePenalty: 0.1,
  frequencyPenalty: 0.2,
  responseLogprobs: true,
  logprobs: 3,
}
const SETTINGS_TOLD = {
  temperature: 0.5,
  top_p: 0.9,
  top_k: 40,
  max_tokens: 100,
  stop: ['x'],
  n: 2,
  seed: 7,
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
  logprobs: true,
  top_logprobs: 3,
}

test('a question in OpenAI’s form', () => {
  const instruction = { parts: [{ text: 'Be short.' }] }
  const told = {
    model: 'gemini-x',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ],
    ...SETTINGS_TOLD,
  }
  expect(chat({ systemInstruction: instruction, generationConfig: SETTINGS })).toEqual(told)
  const snake = Object.entries(SETTINGS).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  const generation_config: unknown = Object.fromEntries(snake)
  expect(chat({ system_instruction: instruction, generation_config })).toEqual(told)
  expect(accepted(read(HI, 'streamGenerateContent').asked).json()).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('media of all kinds', () => {
  const inline = (mimeType: string, data = 'aGk=') => ({ inlineData: { mimeType, data } })
  const file = (fileUri: string, mimeType?: string) => ({ fileData: { mimeType, fileUri } })
  const atGoogle = 'https://generativelanguage.googleapis.com/v1beta/files/x'
  const given = [
    inline('image/png', 'a-_='),
    { inline_data: { mime_type: 'audio/mpeg', data: 'aGk=' } },
    inline('application/pdf'),
    inline('text/plain'),
    file('https://example.com/x.png', 'image/png'),
    file(atGoogle, 'image/png'),
    file('gs://bucket/x', 'video/mp4'),
    file('https://youtu.be/x'),
    { text: '' },
  ]
  expect(messages(user(...given))).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,a+/=' } },
        { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } },
        {
          type: 'file',
          file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,aGk=' },
        },
        { type: 'text', text: 'hi' },
        { type: 'image_url', image_url: { url: 'https://example.com/x.png' } },
        { type: 'file', file: { file_id: atGoogle } },
        { type: 'file', file: { file_id: 'gs://bucket/x' } },
        { type: 'file', file: { file_id: 'https://youtu.be/x' } },
      ],
    },
  ])
})

const called = (id: string, name: string, args: string, signature?: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...(signature === undefined
    ? {}
    : { extra_content: { google: { thought_signature: signature } } }),
})

test('calls and results belong together by their ids, or else by name in their order', () => {
  const call = (name: string, args?: object, id?: string) => ({ functionCall: { id, name, args } })
  const result = (name: string, response: object, id?: string) => ({
    functionResponse: { id, name, response },
  })
  expect(
    messages(
      user({ text: 'go' }),
      model({ text: 'Let ' }),
      model({ text: 'me', thoughtSignature: 's1' }, { text: 'hm', thought: true }),
      model({ ...call('f', { x: 1 }), thoughtSignature: 's2' }, call('f', { x: 2 })),
      model(call('g', undefined, 'own')),
      user({ text: 'there' }, result('g', { ok: true }, 'own'), result('f', { at: 1 })),
      { role: 'function', parts: [result('f', { at: 2 })] },
    ),
  ).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      content: 'Let me',
      tool_calls: [
        called('call00001', 'f', '{"x":1}', 's2'),
        called('call00002', 'f', '{"x":2}'),
        called('own', 'g', '{}'),
      ],
      extra_content: { google: { thought_signature: 's1' } },
    },
    { role: 'tool', tool_call_id: 'own', content: '{"ok":true}' },
    { role: 'tool', tool_call_id: 'call00001', content: '{"at":1}' },
    { role: 'tool', tool_call_id: 'call00002', content: '{"at":2}' },
    { role: 'user', content: [{ type: 'text', text: 'there' }] },
  ])
})

test('media in results are shown by the user, and images of the model stay its own', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
  const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
  const functionResponse = { name: 'f', response: {}, parts: [image] }
  expect(
    messages(
      user({ text: 'draw' }),
      model({ ...image, thoughtSignature: 's' }, { functionCall: { name: 'f' } }),
      user({ functionResponse }),
    ),
  ).toMatchObject([
    {},
    {
      content: null,
      images: [{ ...shown, extra_content: { google: { thought_signature: 's' } } }],
    },
    { role: 'tool', content: '{}' },
    { role: 'user', content: [shown] },
  ])
})

const DECLARED = ['f', 'g', 'h'].map((name) => ({ name }))
const choice = (config: object) =>
  chat({
    tools: [{ functionDeclarations: DECLARED }],
    toolConfig: { functionCallingConfig: config },
  })

test('functions with schemas of both kinds', () => {
  const parameters = {
    type: 'OBJECT',
    properties: {
      b: { type: 'ARRAY', items: { type: 'STRING', nullable: true }, min_items: '1' },
      a: { anyOf: [{ type: 'INTEGER' }], nullable: true },
      c: { type: 'STRING', enum: ['x'], nullable: true },
    },
    propertyOrdering: ['a', 'b'],
    required: ['a'],
  }
  const parametersJsonSchema = { type: 'object', additionalProperties: false }
  const functionDeclarations = [
    { name: 'f', description: 'does', parameters },
    { name: 'g', parametersJsonSchema },
  ]
  const [f, g] = [chat({ tools: [{ functionDeclarations }] })['tools']].flat()
  expect(g).toEqual({ type: 'function', function: { name: 'g', parameters: parametersJsonSchema } })
  expect(JSON.stringify(f)).toBe(
    JSON.stringify({
      type: 'function',
      function: {
        name: 'f',
        description: 'does',
        parameters: {
          type: 'object',
          properties: {
            a: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
            b: { type: 'array', items: { type: ['string', 'null'] }, minItems: 1 },
            c: { type: ['string', 'null'], enum: ['x', null] },
          },
          required: ['a'],
        },
      },
    }),
  )
})

test('which function is called', () => {
  expect(choice({})).not.toHaveProperty('tool_choice')
  expect(choice({ mode: 'AUTO' })).toMatchObject({ tool_choice: 'auto' })
  expect(choice({ mode: 'NONE' })).toMatchObject({ tool_choice: 'none' })
  expect(choice({ mode: 'ANY' })).toMatchObject({ tool_choice: 'required' })
  const one = { type: 'function', function: { name: 'g' } }
  expect(choice({ mode: 'ANY', allowedFunctionNames: ['g'] })).toMatchObject({ tool_choice: one })
  const some = choice({ mode: 'ANY', allowedFunctionNames: ['h', 'f'] })
  expect(some).toMatchObject({ tool_choice: 'required' })
  expect(some['tools']).toHaveLength(2)
  const validated = choice({ mode: 'VALIDATED', allowedFunctionNames: ['h'] })
  expect(validated).toMatchObject({ tool_choice: 'auto', tools: [{ function: { name: 'h' } }] })
  expect(chat({ toolConfig: { functionCallingConfig: { mode: 'ANY' } } })).toEqual(chat())
})

test('thoughts are told to those who want them', () => {
  const thinking = (includeThoughts: boolean) => ({
    ...HI,
    generationConfig: { thinkingConfig: { includeThoughts } },
  })
  expect(read(thinking(true)).withThoughts).toBe(true)
  expect(read(thinking(false)).withThoughts).toBe(false)
  expect(read(HI).withThoughts).toBe(false)
})

const PART = 'contents.0.parts.0'

test.each<[string | null, object]>([
  ['contents', { contents: [] }],
  ['contents', { contents: 'hi' }],
  ['contents.0.role', { contents: [{ role: 'system', parts: [] }] }],
  ['contents.0.parts', { contents: [{ parts: 'hi' }] }],
  [PART, { contents: [user({ executableCode: {} })] }],
  [PART, { contents: [user({ functionCall: { name: 'f' } })] }],
  [PART, { contents: [model({ functionResponse: { name: 'f' } })] }],
  [PART, { contents: [model({ inlineData: { mimeType: 'audio/wav', data: 'aGk=' } })] }],
  [`${PART}.inlineData.mimeType`, { contents: [user({ inlineData: { data: 'aGk=' } })] }],
  [`${PART}.inlineData.data`, { contents: [user({ inlineData: { mimeType: 'image/png' } })] }],
  [`${PART}.fileData.fileUri`, { contents: [user({ fileData: {} })] }],
  [`${PART}.functionCall.name`, { contents: [model({ functionCall: {} })] }],
  [`${PART}.functionCall.args`, { contents: [model({ functionCall: { name: 'f', args: 'x' } })] }],
  [`${PART}.functionResponse`, { contents: [user({ functionResponse: { name: 'f' } })] }],
  [`${PART}.functionResponse.name`, { contents: [user({ functionResponse: {} })] }],
  [
    `${PART}.functionResponse.response`,
    { contents: [user({ functionResponse: { name: 'f', response: 'x' } })] },
  ],
  ['systemInstruction', { systemInstruction: user({ fileData: { fileUri: 'gs://x' } }) }],
  ['tools.0', { tools: ['x'] }],
  ['tools.0.googleSearch', { tools: [{ googleSearch: {} }] }],
  ['tools.0.functionDeclarations.0.name', { tools: [{ functionDeclarations: [{}] }] }],
  ['cachedContent', { cachedContent: 'cachedContents/x' }],
  ['generationConfig', { generationConfig: 'x' }],
  ['generationConfig.temperature', { generationConfig: { temperature: 'hot' } }],
  ['generationConfig.maxOutputTokens', { generationConfig: { maxOutputTokens: 0 } }],
  ['generationConfig.candidateCount', { generationConfig: { candidateCount: 129 } }],
  ['generationConfig.stopSequences', { generationConfig: { stopSequences: 'x' } }],
  ['generationConfig.responseMimeType', { generationConfig: { responseMimeType: 'text/x.enum' } }],
  ['generationConfig.responseModalities', { generationConfig: { responseModalities: ['AUDIO'] } }],
  ['generationConfig.speechConfig', { generationConfig: { speechConfig: {} } }],
  ['generationConfig.imageConfig', { generationConfig: { imageConfig: {} } }],
])('what cannot be said, or only to Google, is refused by the name of %s', (param, parts) => {
  expect(refusal(parts)).toBe(param)
})

test('a choice of functions that are not there, or of a kind that is not', () => {
  const tools = [{ functionDeclarations: DECLARED }]
  const config = 'toolConfig.functionCallingConfig'
  const choosing = (functionCallingConfig: object) => ({
    tools,
    toolConfig: { functionCallingConfig },
  })
  expect(refusal(choosing({ mode: 'MAYBE' }))).toBe(`${config}.mode`)
  expect(refusal(choosing({ mode: 'ANY', allowedFunctionNames: ['x'] }))).toBe(
    `${config}.allowedFunctionNames`,
  )
})

test.each(['', 'no JSON', '[]', '{"contents":[],"contents":[]}', '[[['.repeat(50), '\u{fffd}'])(
  'a body that is none: %s',
  (text) => {
    const { asked } = finish(
      readGeminiRequest(Buffer.from(text, 'latin1'), {
        model: 'x',
        method: 'generateContent',
      }),
    )
    expect(isRequestProblem(asked)).toBe(true)
  },
)

test('tokens are counted of contents, or of a whole request', () => {
  const whole = { model: 'models/x', ...HI, systemInstruction: { parts: [{ text: 'Short.' }] } }
  expect(accepted(read(HI, 'countTokens').asked).json()).toEqual(chat())
  const asked = accepted(read({ generateContentRequest: whole }, 'countTokens').asked)
  expect(asked.json()['messages']).toHaveLength(2)
})

test('texts to embed, one or many', () => {
  const content = { parts: [{ text: 'a' }, { text: 'b' }] }
  const options = { taskType: 'RETRIEVAL_QUERY', title: 't', outputDimensionality: 8 }
  const told = { model: 'gemini-x', task_type: 'RETRIEVAL_QUERY', title: 't', dimensions: 8 }
  const one = accepted(read({ content, ...options }, 'embedContent').asked)
  expect(one.endpoint).toBe('embeddings')
  expect(one.json()).toEqual({ ...told, input: 'a\nb' })
  const request = { model: 'models/x', content, ...options }
  const many = accepted(read({ requests: [request, request] }, 'batchEmbedContents').asked)
  expect(many.json()).toEqual({ ...told, input: ['a\nb', 'a\nb'] })
  const other = { ...request, taskType: 'CLUSTERING' }
  const unlike = accepted(read({ requests: [request, other] }, 'batchEmbedContents').asked)
  expect(unlike.json()).toEqual({ model: 'gemini-x', input: ['t\na\nb', 't\na\nb'] })
  expect(unlike.native).toMatchObject({ obstacle: { param: 'requests.1' }, isLossy: true })
  const data = { mimeType: 'text/plain', data: 'YQ==' }
  const inline = { ...other, content: { parts: [{ inlineData: data }] } }
  expect(refusal({ requests: [request, inline] }, 'batchEmbedContents')).toBe('requests.1')
  expect(refusal({ requests: [request, { ...other, content: {} }] }, 'batchEmbedContents')).toBe(
    'requests.1',
  )
  expect(refusal({ requests: [] }, 'batchEmbedContents')).toBe('requests')
  expect(refusal({}, 'embedContent')).toBe('content')
  const media = { parts: [{ fileData: { fileUri: 'gs://x' } }] }
  expect(refusal({ content: media }, 'embedContent')).toBe('content')
})

test('who speaks OpenAI’s dialect is not told what it would refuse', () => {
  const asked = accepted(
    read({
      contents: [
        user({ text: 'hi' }),
        model(
          { text: 'x', thoughtSignature: 's' },
          { functionCall: { name: 'f' }, thoughtSignature: 's' },
        ),
      ],
      safetySettings: [{ category: 'x', threshold: 'OFF' }],
      generationConfig: { topK: 3 },
    }).asked,
  )
  const descriptor = descriptorOf(1)
  if (descriptor === undefined) throw new Error('no OpenAI')
  const sent = (name: string): unknown =>
    JSON.parse(encodeRequest(asked, { model: name, descriptor }).toString())
  const tool_calls = [called('call00001', 'f', '{}')]
  const plain = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'x', tool_calls },
  ]
  expect(sent('gpt-4o')).toEqual({ model: 'gpt-4o', messages: plain })
  expect(sent('o3')).toEqual({ model: 'o3', messages: plain })
  expect(requestForCodec(asked, { model: 'x', descriptor })).toMatchObject({
    top_k: 3,
    safety_settings: [{ category: 'x', threshold: 'OFF' }],
  })
})

test('a limit of what is said is named as each model wants it', () => {
  const asked = accepted(read({ ...HI, generationConfig: { maxOutputTokens: 9 } }).asked)
  const descriptor = descriptorOf(1)
  if (descriptor === undefined) throw new Error('no OpenAI')
  const sent = (name: string): unknown =>
    JSON.parse(encodeRequest(asked, { model: name, descriptor }).toString())
  expect(sent('gpt-4o')).toHaveProperty('max_tokens', 9)
  expect(sent('o3')).toHaveProperty('max_completion_tokens', 9)
  expect(sent('o3')).not.toHaveProperty('max_tokens')
})
