import { chatAnswer, chunk, DONE, USAGE } from '../fakes/scripted-upstream.ts'
import { fixture, QUESTION, recorded, type TypeRow } from './type-row.ts'

/*
 * Channel types whose providers have their own wire format or paths, and use the key without
 * signing or exchanging it.
 */

const { messages, max_tokens, temperature } = QUESTION
const KEY = 'sk-upstream-5c1d70f8'
const BEARER = { authorization: `Bearer ${KEY}` }
const events = (...list: object[]) =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

const azure: TypeRow = {
  type: 3,
  key: KEY,
  other: '2024-10-21',
  model: 'gpt-4.1',
  call: ({ stream }) => ({
    path: '/openai/deployments/gpt-41/chat/completions?api-version=2024-10-21',
    headers: { 'api-key': KEY },
    body: {
      ...QUESTION,
      model: 'gpt-4.1',
      ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    },
  }),
  answerBody: JSON.stringify({ ...chatAnswer(), prompt_filter_results: [{ prompt_index: 0 }] }),
  stream: {
    body:
      events({ choices: [], created: 0, id: '', model: '', prompt_filter_results: [] }) +
      chunk({ content: 'Hello' }) +
      chunk({ finish: 'stop' }) +
      chunk({ usage: USAGE }) +
      DONE,
  },
  refusal: {
    status: 401,
    body: JSON.stringify({
      error: {
        code: '401',
        message:
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
      },
    }),
  },
  expected: {
    texts: ['Hello there', 'Hello'],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
    model: 'gpt-4o-mini-2024',
  },
}

const responses: TypeRow = {
  type: 1002,
  key: KEY,
  model: 'gpt-4.1',
  call: ({ stream }) => ({
    path: '/v1/responses',
    headers: BEARER,
    body: {
      model: 'gpt-4.1',
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'hi' }],
      ...(stream ? { stream: true } : {}),
      store: false,
      max_output_tokens: max_tokens,
      temperature,
    },
  }),
  ...recorded('openai-responses'),
  refusal: {
    status: 401,
    body: JSON.stringify({
      error: {
        message: 'Incorrect API key provided: sk-upstream-5c1d70f8.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    }),
  },
}

const palm: TypeRow = {
  type: 11,
  key: KEY,
  model: 'PaLM-2',
  call: () => ({
    path: '/v1beta2/models/chat-bison-001:generateMessage',
    headers: { 'x-goog-api-key': KEY },
    body: {
      prompt: { context: 'Be brief.', messages: [{ author: '0', content: 'hi' }] },
      temperature,
    },
  }),
  answerBody: fixture('google-palm/__fixtures__/answers/text.json'),
  stream: { body: 'It has no streams.' },
  refusal: googleRefusal(),
  expected: { texts: ['Hé là 🎉', 'Hé là 🎉'], usage: null, model: 'PaLM-2' },
}

function googleRefusal(): TypeRow['refusal'] {
  const message = 'API key not valid. Please pass a valid API key.'
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }
  const error = { code: 400, message, status: 'INVALID_ARGUMENT', details: [reason] }
  return { status: 400, body: JSON.stringify({ error }) }
}

const geminiPart = (text: string) => ({ content: { role: 'model', parts: [{ text }] }, index: 0 })
const geminiHead = { modelVersion: 'gemini-2.0-flash-001', responseId: 'r1' }

const gemini: TypeRow = {
  type: 24,
  key: KEY,
  model: 'gemini-2.0-flash',
  call: ({ stream }) => ({
    path: `/v1beta/models/gemini-2.0-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { 'x-goog-api-key': KEY },
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      safetySettings: [
        'HARM_CATEGORY_HARASSMENT',
        'HARM_CATEGORY_HATE_SPEECH',
        'HARM_CATEGORY_SEXUALLY_EXPLICIT',
        'HARM_CATEGORY_DANGEROUS_CONTENT',
      ].map((category) => ({ category, threshold: 'BLOCK_NONE' })),
      generationConfig: { maxOutputTokens: max_tokens, temperature },
    },
  }),
  answerBody: JSON.stringify({
    ...geminiHead,
    candidates: [{ ...geminiPart('Hé là 🎉'), finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 22, candidatesTokenCount: 9, totalTokenCount: 31 },
  }),
  stream: {
    body: events(
      { ...geminiHead, candidates: [geminiPart('Hé ')], usageMetadata: { promptTokenCount: 22 } },
      {
        ...geminiHead,
        candidates: [{ ...geminiPart('là 🎉'), finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 22, candidatesTokenCount: 9, totalTokenCount: 31 },
      },
    ),
  },
  refusal: googleRefusal(),
  expected: {
    texts: ['Hé là 🎉', 'Hé là 🎉'],
    usage: { prompt_tokens: 22, completion_tokens: 9 },
    model: 'gemini-2.0-flash-001',
  },
}

const claude: TypeRow = {
  type: 14,
  key: KEY,
  model: 'claude-sonnet-4-5',
  call: ({ stream }) => ({
    path: '/v1/messages',
    headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      temperature,
      stream,
    },
  }),
  ...recorded('anthropic'),
  refusal: {
    status: 401,
    body: JSON.stringify({
      type: 'error',
      error: { type: 'authentication_error', message: 'invalid x-api-key' },
      request_id: 'req_011',
    }),
  },
}

const ali: TypeRow = {
  type: 17,
  key: KEY,
  other: '{"ocr":{}}',
  model: 'qwen-plus',
  call: ({ stream }) => ({
    path: '/api/v1/services/aigc/text-generation/generation',
    headers: {
      ...BEARER,
      'x-dashscope-plugin': '{"ocr":{}}',
      ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    },
    body: {
      model: 'qwen-plus',
      input: { messages },
      parameters: {
        result_format: 'message',
        temperature,
        max_tokens,
        ...(stream ? { incremental_output: true } : {}),
      },
    },
  }),
  ...recorded('ali'),
  refusal: {
    status: 401,
    body: JSON.stringify({
      code: 'InvalidApiKey',
      message: 'Invalid API-key provided.',
      request_id: 'r-1',
    }),
  },
}

const MINIMAX_HEAD = { id: '04f9', created: 1_735_689_600, model: 'MiniMax-Text-01' }
const MINIMAX_WELL = { base_resp: { status_code: 0, status_msg: '' } }
const MINIMAX_WHOLE = {
  ...MINIMAX_HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '你好' } }],
  usage: { total_tokens: 18, prompt_tokens: 11, completion_tokens: 7 },
  ...MINIMAX_WELL,
}
const minimaxChunk = (content: string, more: object = {}) => ({
  ...MINIMAX_HEAD,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { role: 'assistant', content }, ...more }],
  usage: null,
})

const minimax: TypeRow = {
  type: 27,
  key: KEY,
  model: 'MiniMax-Text-01',
  call: ({ stream }) => ({
    path: '/v1/text/chatcompletion_v2',
    headers: BEARER,
    body: { ...QUESTION, model: 'MiniMax-Text-01', stream },
  }),
  answerBody: JSON.stringify(MINIMAX_WHOLE),
  // The last event repeats the whole answer.
  stream: {
    body: events(minimaxChunk('你'), minimaxChunk('好', { finish_reason: 'stop' }), MINIMAX_WHOLE),
  },
  refusal: {
    status: 200,
    body: JSON.stringify({
      base_resp: { status_code: 1004, status_msg: 'login fail: Please carry the API secret key' },
    }),
  },
  expected: {
    texts: ['你好', '你好'],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
    model: 'MiniMax-Text-01',
  },
}

const ollamaLine = (content: string, more: object = { done: false }) =>
  `${JSON.stringify({
    model: 'qwen3',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content },
    ...more,
  })}\n`
const OLLAMA_DONE = { done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7 }

const ollama: TypeRow = {
  type: 30,
  key: KEY,
  model: 'qwen3',
  call: ({ stream }) => ({
    path: '/api/chat',
    headers: BEARER,
    body: {
      model: 'qwen3',
      messages,
      stream,
      options: { temperature, num_predict: max_tokens },
    },
  }),
  answerBody: ollamaLine('Hi 你好', OLLAMA_DONE),
  stream: {
    body: ollamaLine('你') + ollamaLine('好') + ollamaLine('', OLLAMA_DONE),
    type: 'application/x-ndjson',
  },
  refusal: { status: 401, body: JSON.stringify({ error: 'unauthorized' }) },
  expected: {
    texts: ['Hi 你好', '你好'],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
    model: 'qwen3',
  },
}

const MANUAL = { title: '手册', url: 'https://x.example/d1' }

const aiProxyLibrary: TypeRow = {
  type: 21,
  key: KEY,
  other: '123456',
  model: 'gpt-3.5-turbo',
  call: ({ stream }) => ({
    path: '/api/library/ask',
    headers: BEARER,
    body: { model: 'gpt-3.5-turbo', query: 'hi', libraryId: '123456', stream },
  }),
  answerBody: JSON.stringify({
    success: true,
    answer: '回答',
    documents: [MANUAL],
    errCode: 0,
    message: '',
  }),
  stream: {
    body: events(
      { content: '知识库', finish: false, model: 'gpt-3.5-turbo' },
      { content: '回答', finish: true, model: 'gpt-3.5-turbo', documents: [MANUAL] },
    ),
  },
  refusal: {
    status: 401,
    body: JSON.stringify({ success: false, errCode: 401, message: 'Invalid API key' }),
  },
  expected: {
    texts: [
      '回答\n\nReferences:\n\n1. [手册](https://x.example/d1)',
      '知识库回答\n\nReferences:\n\n1. [手册](https://x.example/d1)',
    ],
    usage: null,
    model: 'gpt-3.5-turbo',
  },
}

export const OWN_ROWS: readonly TypeRow[] = [
  azure,
  responses,
  palm,
  claude,
  { ...claude, type: 1003 },
  gemini,
  ali,
  minimax,
  ollama,
  aiProxyLibrary,
]
