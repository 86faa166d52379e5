import { chatAnswer, chunk, DONE, USAGE, WHOLE_STREAM } from '../fakes/scripted-upstream.ts'
import { QUESTION, type TypeRow, type WireCall } from './type-row.ts'

/*
 * Channel types whose providers use OpenAI's wire format, with the differences of each: paths,
 * members, where a stream reports its usage, and the error for an unknown key.
 */

const KEY = 'sk-upstream-5c1d70f8'
const TEXT = 'Hello there'

type Own = Partial<TypeRow> & { members?: object; path?: string }

function row(type: number, own: Own = {}): TypeRow {
  const { members = {}, path = '/v1/chat/completions', ...rest } = own
  const model = own.model ?? 'gpt-4.1-mini'
  return {
    type,
    key: KEY,
    model,
    call: ({ stream }) => ({
      path,
      headers: { authorization: `Bearer ${own.key ?? KEY}` },
      body: { ...QUESTION, model, ...(stream ? STREAM_MEMBERS : {}), ...members },
    }),
    answerBody: JSON.stringify(chatAnswer()),
    stream: { body: WHOLE_STREAM.join('') },
    refusal: refusal(`Incorrect API key provided: ${own.key ?? KEY}.`, {
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    }),
    expected: { texts: [TEXT, TEXT], usage: TOKENS, model: 'gpt-4o-mini-2024' },
    ...rest,
  }
}

const STREAM_MEMBERS = { stream: true, stream_options: { include_usage: true } }
const TOKENS = {
  prompt_tokens: USAGE.prompt_tokens,
  completion_tokens: USAGE.completion_tokens,
}

function refusal(message: string, more: object): TypeRow['refusal'] {
  return { status: 401, body: JSON.stringify({ error: { message, ...more } }) }
}

const TEXT_CHUNKS = [chunk({ content: 'Hello' }), chunk({ content: ' there' })]

/** The last event of a choice, with additional members next to the choice or in it. */
function lastChunk({
  members = {},
  inChoice = {},
}: {
  members?: object
  inChoice?: object
}): string {
  const choice = { index: 0, delta: {}, finish_reason: 'stop', ...inChoice }
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000 }
  return `data: ${JSON.stringify({ ...head, model: 'gpt-4o-mini-2024', choices: [choice], ...members })}\n\n`
}

const streamEndingIn = (...events: string[]) => ({
  body: [...TEXT_CHUNKS, ...events, DONE].join(''),
})

const BILLING = {
  answers: {
    '/v1/dashboard/billing/subscription': { hard_limit_usd: 120, has_payment_method: true },
    '/v1/dashboard/billing/usage': { total_usage: 1234.5 },
  },
  says: 107.655,
}
const GRANTS = '/dashboard/billing/credit_grants'

const FASTGPT_KEY = 'fastgpt-9f31c2aa-64c3f1b2'
const FASTGPT_USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 }

export const OPENAI_ROWS: readonly TypeRow[] = [
  row(1, { balance: BILLING }),
  row(2),
  row(4, { balance: { answers: { [GRANTS]: { total_available: 12.5 } }, says: 12.5 } }),
  row(5, {
    balance: { answers: { '/sb-api/user/status': { data: { credit: '98765' } } }, says: 98_765 },
  }),
  row(6),
  row(7),
  row(8, { balance: BILLING }),
  row(9),
  row(10, {
    balance: {
      answers: { '/api/report/getUserOverview': { success: true, data: { totalPoints: 7 } } },
      says: 7,
    },
  }),
  row(12, { balance: { answers: { [GRANTS]: { total_remaining: 3 } }, says: 3 } }),
  row(13, { balance: { answers: { [GRANTS]: { total_available: 4 } }, says: 4 } }),
  // 360 Zhinao
  row(19, {
    model: '360gpt-pro',
    refusal: refusal('Invalid API key', { type: 'invalid_request_error', code: '1001' }),
  }),
  // OpenRouter keeps a connection alive with comments, and its error code repeats the HTTP status.
  row(20, {
    model: 'openai/gpt-4o-mini',
    path: '/api/v1/chat/completions',
    stream: { body: `: OPENROUTER PROCESSING\n\n${WHOLE_STREAM.join('')}` },
    refusal: refusal('No cookie auth credentials found', { code: 401 }),
    balance: {
      answers: { '/api/v1/credits': { data: { total_credits: 0.3, total_usage: 0.1 } } },
      says: 0.2,
    },
  }),
  // FastGPT does not count tokens: it always reports the same usage.
  row(22, {
    key: FASTGPT_KEY,
    path: '/api/openapi/v1/chat/completions',
    members: { detail: false },
    answerBody: JSON.stringify(chatAnswer(TEXT, FASTGPT_USAGE)),
    stream: streamEndingIn(lastChunk({}), chunk({ usage: FASTGPT_USAGE })),
    refusal: {
      status: 403,
      body: JSON.stringify({
        code: 514,
        statusText: 'unAuthApiKey',
        message: 'Api Key is illegal',
        data: null,
      }),
    },
    expected: { texts: [TEXT, TEXT], usage: null, model: 'gpt-4o-mini-2024' },
  }),
  // Moonshot used to report the usage of a stream inside its choice.
  row(25, {
    model: 'moonshot-v1-8k',
    stream: streamEndingIn(lastChunk({ inChoice: { usage: USAGE } })),
    refusal: refusal('Invalid Authentication', { type: 'invalid_authentication_error' }),
  }),
  row(26, {
    model: 'Baichuan4-Turbo',
    refusal: refusal('Incorrect API key provided', {
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    }),
  }),
  // Mistral rejects unknown members.
  row(28, {
    model: 'mistral-small-latest',
    call: ({ stream }): WireCall => ({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
      body: { ...QUESTION, model: 'mistral-small-latest', ...(stream ? { stream: true } : {}) },
    }),
    stream: streamEndingIn(lastChunk({ members: { usage: USAGE } })),
    refusal: { status: 401, body: JSON.stringify({ detail: 'Unauthorized' }) },
  }),
  // Groq reports the usage of a stream in `x_groq`, next to the last choice.
  row(29, {
    model: 'llama-3.1-8b-instant',
    path: '/openai/v1/chat/completions',
    stream: streamEndingIn(lastChunk({ members: { x_groq: { id: 'req_1', usage: USAGE } } })),
    refusal: refusal('Invalid API Key', {
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    }),
  }),
  row(31, { model: 'yi-lightning', refusal: refusal('Unauthorized', { type: 'auth_error' }) }),
  row(32, { model: 'step-3' }),
  row(35, { model: 'command-a', path: '/compatibility/v1/chat/completions' }),
  row(36, {
    model: 'deepseek-chat',
    balance: {
      answers: {
        '/user/balance': {
          is_available: true,
          balance_infos: [
            { currency: 'USD', total_balance: '1.00' },
            { currency: 'CNY', total_balance: '110.50' },
          ],
        },
      },
      says: 110.5,
    },
  }),
  row(39, { model: 'openai/gpt-oss-120b' }),
  row(40, { model: 'doubao-seed-2-1-pro-260915', path: '/api/v3/chat/completions' }),
  row(41, { model: 'zai-org/glm-4.6', path: '/v3/openai/chat/completions' }),
  row(44, {
    model: 'zai-org/GLM-4.6',
    balance: {
      answers: { '/v1/user/info': { code: 20_000, data: { totalBalance: '88.00' } } },
      says: 88,
    },
  }),
  row(45, { model: 'grok-4.5' }),
  row(47, {
    model: 'ernie-4.5-turbo-128k',
    path: '/v2/chat/completions',
    refusal: refusal('invalid iam token', {
      type: 'invalid_request_error',
      code: 'invalid_iam_token',
    }),
  }),
  row(48, { model: '4.0Ultra' }),
  row(49, { model: 'qwen-plus', path: '/compatible-mode/v1/chat/completions' }),
  row(50, { path: '/chat/completions' }),
  row(51, { model: 'gemini-2.5-flash', path: '/v1beta/openai/chat/completions' }),
  row(1001),
]
