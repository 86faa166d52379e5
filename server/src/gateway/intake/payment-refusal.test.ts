import { expect, test } from 'vitest'
import { TOKEN_STATUS } from '@tollgate/contract'
import { textToolsDialect } from '@tollgate/relay'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, MODEL, type Setup, setUp } from '../../../testing/worlds/relay-scenario.ts'
import { Refusal } from '../errors.ts'
import { paymentRefusal } from './payment-refusal.ts'

const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
const CODEX = { originator: 'codex_exec', 'user-agent': 'codex_exec/0.171.0 (Debian; x86_64)' }

const CLIENTS = [
  {
    client: "a client of OpenAI's chat",
    path: '/v1/chat/completions',
    body: ASKED,
    short: { status: 403, error: { code: 'insufficient_user_quota', type: 'one_api_error' } },
    usedUp: { status: 401, error: { code: 'invalid_api_key', type: 'one_api_error' } },
  },
  {
    client: 'Claude Code',
    path: '/v1/messages?beta=true',
    body: { ...ASKED, max_tokens: 32_000 },
    short: { status: 402, error: { type: 'billing_error' } },
  },
  {
    client: 'Gemini CLI',
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: GEMINI,
    short: { status: 402, error: { code: 402, status: 'RESOURCE_EXHAUSTED' } },
  },
  {
    client: 'Codex',
    path: '/v1/responses',
    body: { model: MODEL, input: 'hi' },
    headers: CODEX,
    short: { status: 429, error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
  },
  {
    client: 'another client of Responses',
    path: '/v1/responses',
    body: { model: MODEL, input: 'hi' },
    short: { status: 402, error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
  },
] as const

const REASONS: [string, Setup, 'short' | 'usedUp'][] = [
  ['a balance that is short', { quota: 1 }, 'short'],
  ['an empty balance', { quota: 0 }, 'short'],
  ['a used-up key', { tokenQuota: 0, token: { status: TOKEN_STATUS.exhausted } }, 'usedUp'],
]

const ROWS = CLIENTS.flatMap((row) =>
  REASONS.map(([why, setup, kind]) => ({ row, why, setup, kind })),
)

test.each(ROWS)('$row.client stops at $why', async ({ row: client, setup, kind }) => {
  const { path, body, short } = client
  const expected = kind === 'usedUp' && 'usedUp' in client ? client.usedUp : short
  const world = await setUp(answerChat(), setup)
  const headers = 'headers' in client ? client.headers : {}
  const response = await world.ask(body, { path, headers })
  expect(response.status).toBe(expected.status)
  expect(await response.json()).toMatchObject({ error: expected.error })
  expect(response.headers.get('x-should-retry')).toBe('false')
})

test('a client of custom tools at chat completions stops as others there do', () => {
  const dialect = textToolsDialect(new Set(['ApplyPatch']))
  const refusal = new Refusal({ status: 403, code: null, message: 'No money.', isUnpaid: true })
  const request = { method: 'POST', url: '/v1/chat/completions', headers: {}, socket: {} }
  expect(paymentRefusal(refusal, { request, client: { dialect } })).toBe(refusal)
})

test('a refusal for another reason leaves repeating to the client', async () => {
  const world = await setUp(answerChat())
  const response = await { ...world, key: 'sk-nobody' }.ask()
  expect([response.status, response.headers.get('x-should-retry')]).toEqual([401, null])
})
