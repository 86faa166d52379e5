import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mp3 } from '../../../testing/fakes/mp3-file.ts'
import { answerJson, type Behaviour } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../relay/src/providers/${name}`, import.meta.url), 'utf8')

const events =
  (body: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)

const STREAMS = [
  {
    name: 'Anthropic',
    type: 14,
    path: '/v1/messages',
    script: [events(fixture('anthropic/__fixtures__/streams/thinking-and-tool.sse'))],
    says: ['Need the time.', 'get_time', 'thinking_blocks', '"finish_reason":"tool_calls"'],
    asks: 'word '.repeat(800),
    charged: { prompt_tokens: 1065, completion_tokens: 37 },
  },
  {
    name: 'Gemini',
    type: 24,
    path: '/v1beta/models/gpt-4o-mini:streamGenerateContent?alt=sse',
    script: [events(fixture('google-gemini/__fixtures__/streams/thought-and-tool.sse'))],
    says: ['Considering', 'get_time', 'thought_signature', '"finish_reason":"tool_calls"'],
    charged: { prompt_tokens: 22, completion_tokens: 48 },
  },
  {
    name: 'PaLM, which answers in one piece and does not count,',
    type: 11,
    path: '/v1beta2/models/gpt-4o-mini:generateMessage',
    script: [answerJson(fixture('google-palm/__fixtures__/answers/text.json'))],
    says: ['Hé là 🎉', '"finish_reason":"stop"'],
    charged: { prompt_tokens: 8 },
  },
]

test.each(STREAMS)('a stream of $name is relayed and charged', async (provider) => {
  const { path, script, type, says, charged, asks = 'hi' } = provider
  const world = await setUp([{ script, type }])
  const messages = [{ role: 'user', content: asks }]
  const response = await world.ask({ ...STREAMED, messages })
  const text = await response.text()
  expect(response.status).toBe(200)
  for (const piece of says) expect(text).toContain(piece)
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
  expect(world.upstream.requestsOf('p0').map((request) => request.path)).toEqual([path])
  const { log } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', end_reason: 'finished', ...charged })
})

test("Gemini's audio tokens are charged at the audio ratio", async () => {
  const model = 'gemini-2.5-flash'
  const answer = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 1000,
      candidatesTokenCount: 30,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 100 },
        { modality: 'AUDIO', tokenCount: 900 },
      ],
    },
  }
  const world = await setUp([{ script: [answerJson(answer)], type: 24, models: model }], {
    quota: 1_000_000,
  })
  const input_audio = { data: mp3(28.1).toString('base64'), format: 'mp3' }
  const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }]
  expect((await world.ask({ ...ASKED, model, messages })).status).toBe(200)
  // 100 at 1, 900 at 3.33333, 30 at 8.33333; at 0.15.
  expect((await world.books()).log).toMatchObject({ quota: 503, prompt_tokens: 1000 })
})

test('a failure in place of a stream made from a whole answer is retried on another channel', async () => {
  const broken = answerJson({ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } })
  const script = [answerJson(fixture('google-palm/__fixtures__/answers/text.json'))]
  const world = await setUp([
    { script: [broken], type: 11, priority: 1 },
    { script, type: 11 },
  ])
  expect(await (await world.ask(STREAMED)).text()).toContain('Hé là 🎉')
})

test('an unsupported parameter is refused with its name, free of charge', async () => {
  const world = await setUp([{ script: [answerJson({})], type: 14 }])
  const response = await world.ask({ ...ASKED, n: 2 })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { code: 'unsupported_by_provider', param: 'n' },
  })
  const { account } = await world.books()
  expect(account.used_quota).toBe(0)
})
