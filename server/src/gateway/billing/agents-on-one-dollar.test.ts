import { describe, expect, test } from 'vitest'
import {
  answerStream,
  type Behaviour,
  chunk,
  DONE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { setUp } from '../../../testing/worlds/relay-scenario.ts'

const DOLLAR = 500_000
const AGENTS = 4
const PROMPT_TOKENS = 20_000
const SYSTEM = 'word '.repeat(PROMPT_TOKENS)
const ANTHROPIC = 14

type Event = { readonly type: string; readonly [member: string]: unknown }

const events = (...given: Event[]) =>
  given.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [],
  stop_reason: null,
  usage: { input_tokens: 20, cache_creation_input_tokens: PROMPT_TOKENS, output_tokens: 1 },
}
const start = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const stop = (index: number) => ({ type: 'content_block_stop', index })

/** A turn of Claude: a summary of its reasoning, a text, and more output than was shown. */
const claudeTurn = (output_tokens: number) => [
  events(
    { type: 'message_start', message: MESSAGE },
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Let me see.' }),
  ),
  events(
    stop(0),
    start(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Done.' }),
    stop(1),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens } },
    { type: 'message_stop' },
  ),
]

const gptTurn = (outputTokens: number) => {
  const usage = { prompt_tokens: PROMPT_TOKENS, completion_tokens: outputTokens }
  return [chunk({ content: 'Done.' }), chunk({ finish: 'stop' }) + chunk({ usage }) + DONE]
}

const user = { role: 'user', content: 'Read the file.' }

/** First turns of coding agents, as their programs send them. */
const CLIENTS = [
  {
    client: 'Claude Code',
    models: 'claude-sonnet-4-5',
    type: ANTHROPIC,
    path: '/v1/messages?beta=true',
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 32_000,
      stream: true,
      thinking: { type: 'enabled', budget_tokens: 31_999 },
      system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
      messages: [user],
    },
    turn: claudeTurn,
  },
  {
    client: 'Codex',
    models: 'gpt-5.1',
    type: 1,
    path: '/v1/responses',
    body: {
      model: 'gpt-5.1',
      instructions: SYSTEM,
      input: [{ type: 'message', ...user }],
      reasoning: { effort: 'high', summary: 'auto' },
      store: false,
      stream: true,
    },
    turn: gptTurn,
  },
  {
    client: 'an agent that asks for 128 000 tokens',
    models: 'gpt-5.1',
    type: 1,
    path: '/v1/chat/completions',
    body: {
      model: 'gpt-5.1',
      max_completion_tokens: 128_000,
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: SYSTEM }, user],
    },
    turn: gptTurn,
  },
] as const

/** Answers when all sub-agents have asked. */
function answersTogether(turn: (outputTokens: number) => readonly string[], count: number) {
  const all = Promise.withResolvers<void>()
  let asked = 0
  const behaviour: Behaviour = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const [first = '', rest = ''] = turn(1500)
    response.write(first)
    asked += 1
    if (asked === count) all.resolve()
    await all.promise
    response.end(rest)
  }
  return behaviour
}

describe.each(DATABASES)('on %s with one dollar', (kind) => {
  test.each(CLIENTS)('four sub-agents of $client work at once', async (client) => {
    const { models, type, path, body, turn } = client
    // The double plays chat completions, whatever the vendor prefers for these models.
    const script = [answersTogether(turn, AGENTS)]
    const setup = { kind, quota: DOLLAR, upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 } }
    const config = type === 1 ? JSON.stringify({ apis: ['chat'] }) : ''
    const world = await setUp([{ script, models, type, config }], {
      ...setup,
      lenient: 'the double plays chat completions for every model',
    })
    const agents = Array.from({ length: AGENTS }, () => world.ask(body, { path }))
    const answers = await Promise.all(agents)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    for (const text of texts) expect(text).toContain('Done.')
    const { logs, account } = await world.books()
    expect(logs).toHaveLength(AGENTS)
    expect(logs.every((log) => log.end_reason === 'finished' && log.uncollected === 0)).toBe(true)
    expect(account.quota).toBeGreaterThan(DOLLAR / 4)
  })

  test('a request whose worst case the balance covers keeps its output limit', async () => {
    const [{ models, type, path, body, turn }] = CLIENTS
    const script = [answersTogether(turn, 1)]
    const world = await setUp([{ script, models, type }], { kind, quota: 4 * DOLLAR })
    await (await world.ask(body, { path })).text()
    expect(world.sent()).toMatchObject({ max_tokens: 32_000 })
    await world.books()
  })

  test('the hold follows what the key has used of the model', async () => {
    const [{ models, type, path, body }] = CLIENTS
    const turns = [...Array.from({ length: 8 }, () => 20_000), 100]
    const script = turns.map((tokens) => answerStream(claudeTurn(tokens)))
    const world = await setUp([{ script, models, type }], { kind, quota: 100 * DOLLAR })
    for (let turn = 0; turn < turns.length; turn += 1)
      await (await world.ask(body, { path })).text()
    const held = (await world.books()).logs.map((log) => log.held)
    // Output costs 7.5 units per token. The prompt is the same each time.
    expect((held.at(-1) ?? 0) - (held[0] ?? 0)).toBeGreaterThan(7.5 * (20_000 - 4096 - 1))
  })
})
