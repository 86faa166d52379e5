import { describe, expect, test } from 'vitest'
import { errorText } from '../wires/anthropic-messages/write-error.ts'
import { errorOf } from '../wires/gemini/write-error.ts'
import { errorBody } from '../wires/openai-chat/write-error.ts'
import { classifyUpstreamError } from './upstream-error.ts'

type Row = [vendor: string, body: object, numbers: readonly [number, number] | null]

const openai = (message: string, rest: object = {}) => ({
  error: { message, type: 'invalid_request_error', ...rest },
})

const ROWS: Row[] = [
  [
    'OpenAI',
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130,123 tokens.",
      { code: 'context_length_exceeded' },
    ),
    [130_123, 128_000],
  ],
  [
    'OpenAI, Responses',
    openai('Your input exceeds the context window of this model. Please adjust your input.'),
    null,
  ],
  [
    'Anthropic',
    { type: 'error', ...openai('prompt is too long: 210000 tokens > 200000 maximum') },
    [210_000, 200_000],
  ],
  [
    'Anthropic, with the output',
    {
      type: 'error',
      ...openai('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
    },
    null,
  ],
  [
    'Google',
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message:
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
    [1_200_000, 1_048_576],
  ],
  [
    'DeepSeek',
    openai(
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (139000 in the messages, 1000 in the completion).",
    ),
    [140_000, 131_072],
  ],
  [
    'Alibaba',
    {
      error: {
        code: 'invalid_parameter_error',
        message:
          '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
      },
    },
    null,
  ],
  [
    'Alibaba, native',
    { code: 'InvalidParameter', message: 'Range of input length should be [1, 30720]' },
    null,
  ],
  ['Zhipu', { error: { code: '1261', message: 'Prompt 超长' } }, null],
  [
    'Moonshot',
    openai('Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)'),
    [270_000, 262_144],
  ],
  [
    'MiniMax',
    {
      base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit' },
    },
    null,
  ],
  [
    'Mistral',
    openai(
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ),
    [40_000, 32_768],
  ],
  [
    'xAI',
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    [537_812, 131_072],
  ],
  [
    'Groq',
    openai('Please reduce the length of the messages or completion.', {
      code: 'context_length_exceeded',
    }),
    null,
  ],
  [
    'Cohere',
    {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.',
    },
    [5000, 4081],
  ],
  [
    'vLLM',
    {
      object: 'error',
      type: 'BadRequestError',
      code: 400,
      message:
        'The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller.',
    },
    [9000, 8192],
  ],
  [
    'SGLang',
    {
      object: 'error',
      code: 400,
      message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    },
    [9000, 8192],
  ],
  [
    'llama.cpp',
    {
      error: {
        code: 400,
        type: 'exceed_context_size_error',
        message: 'the request exceeds the available context size, try increasing it',
      },
    },
    null,
  ],
  ['Ollama', { error: 'the input length exceeds the context length' }, null],
  ['Bedrock', { message: 'Input is too long for requested model.' }, null],
  [
    'OpenRouter',
    {
      error: {
        code: 400,
        message:
          "This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens (199000 of text input, 1000 in the output).",
      },
    },
    [200_000, 163_840],
  ],
]

describe.each(ROWS)('%s', (_vendor, body, numbers) => {
  const problem = classifyUpstreamError({
    status: 400,
    headers: {},
    body: JSON.stringify(body),
    channelSecrets: { key: '', baseUrl: '', proxy: null },
  })

  test('is recognized', () => {
    expect(problem).toMatchObject({
      kind: 'context_length',
      status: 400,
      code: 'context_length_exceeded',
      namesKey: false,
    })
  })

  test('has the wording that clients of each dialect recognize', () => {
    const [tokens, max] = numbers ?? []
    const anthropic = errorText(problem)
    expect(anthropic).toContain('"invalid_request_error"')
    expect(anthropic).toMatch(
      numbers === null
        ? /"prompt is too long: /
        : `prompt is too long: ${tokens} tokens > ${max} maximum`,
    )
    expect(errorOf(problem).json.error.message).toContain(
      numbers === null
        ? 'exceeds the maximum number of tokens allowed'
        : `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${max})`,
    )
    expect(errorBody(problem)).toContain('"code":"context_length_exceeded"')
  })
})

test('a request id is not taken for a size', () => {
  const message = 'maximum context length is 8192 tokens, not 9000 (request id: 20261127084625900)'
  const error = { status: 400, message, type: 'x', code: 'context_length_exceeded' }
  expect(errorText(error)).toContain('"prompt is too long: 9000 tokens > 8192 maximum"')
})

test('other errors keep their messages', () => {
  const error = { status: 400, message: 'No. 9 > 8', type: 'x', code: 'invalid_request' }
  expect(errorText(error)).toContain('"No. 9 > 8"')
  expect(errorOf(error).json.error.message).toBe('No. 9 > 8')
  expect(errorBody(error)).toContain('"No. 9 > 8"')
})
