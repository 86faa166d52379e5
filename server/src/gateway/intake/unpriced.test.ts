import { describe, expect, test } from 'vitest'
import { answerChat, answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, expectJson, lenient, MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'

const hi = [{ role: 'user', content: 'hi' }]
const message = { model: MODEL, max_tokens: 50, messages: hi }
const contents = [{ parts: [{ text: 'hi' }] }]
const search = { type: 'web_search_20250305', name: 'web_search' }
const glm = { type: 'web_search', web_search: { enable: true } }
const kimi = { type: 'builtin_function', function: { name: '$web_search' } }
const generate = `/v1beta/models/${MODEL}:generateContent`

describe('features billed in addition to tokens are refused by name', () => {
  test.each([
    ['/v1/chat/completions', { ...ASKED, web_search_options: {} }, 'web_search_options'],
    ['/v1/chat/completions', { ...ASKED, service_tier: 'scale' }, 'service_tier'],
    ['/v1/chat/completions', { ...ASKED, enable_search: true }, 'enable_search'],
    ['/v1/chat/completions', { ...ASKED, search_parameters: {} }, 'search_parameters'],
    ['/v1/chat/completions', { ...ASKED, EnableEnhancement: true }, 'EnableEnhancement'],
    ['/v1/chat/completions', { ...ASKED, Web_search_options: {} }, 'Web_search_options'],
    ['/v1/chat/completions', { ...ASKED, tools: [{ googleSearch: {} }] }, 'tools.0'],
    ['/v1/chat/completions', { ...ASKED, plugins: [{ id: 'web' }] }, 'plugins'],
    ['/v1/chat/completions', { ...ASKED, tools: [kimi] }, 'tools.0'],
    ['/v1/chat/completions', { ...ASKED, tools: [glm] }, 'tools.0'],
    ['/v1/messages', { ...message, tools: [search] }, 'tools.0'],
    ['/v1/messages', { ...message, plugins: [{ id: 'web' }] }, 'plugins'],
    ['/v1/messages', { ...message, speed: 'fast' }, 'speed'],
    ['/v1/messages', { ...message, inference_geo: 'us' }, 'inference_geo'],
    [generate, { contents, tools: [{ enterpriseWebSearch: {} }] }, 'tools.0'],
    [generate, { contents, serviceTier: { name: 'PRIORITY' } }, 'serviceTier'],
  ])('%s %j', async (path, body, param) => {
    const world = await setUp(answerChat())
    const refused = await world.ask(body, { path })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(`The provider bills '${param}' in addition to tokens`)
    expect(world.calls()).toEqual([0])
    expect((await world.books()).logs).toEqual([])
  })

  test.each([
    '{"type":"function","Type":"web_search","function":{"name":"f"}}',
    '{"type":"web_search","type":"function","function":{"name":"f"}}',
  ])('no provider receives a tool with two readings: %s', async (tool) => {
    const world = await setUp(answerChat())
    const text = `{"model":"${MODEL}","messages":[{"role":"user","content":"hi"}],"tools":[${tool}]}`
    const answered = await world.ask(text)
    const [sent] = world.upstream.requestsOf('p0')
    if (answered.status === 200) expect(JSON.stringify(sent?.body)).not.toContain('web_search')
    else expect(await answered.json()).toMatchObject({ error: { param: 'tools.0.Type' } })
  })

  test.each([
    [{ ...ASKED, service_tier: 'Scale' }, 'service_tier'],
    [{ ...ASKED, extra_body: { enable_search: true } }, 'extra_body.enable_search'],
    [{ ...ASKED, preset: 'dear' }, 'preset'],
  ])('in a spelling that only other providers read: %j', async (body, param) => {
    const world = await setUp(answerChat())
    await expectJson(world.ask(body), 400, { error: { param, code: 'unpriced_feature' } })
    expect(world.calls()).toEqual([0])
  })

  test('features that cost nothing in addition to tokens are allowed', async () => {
    const world = await setUp(answerChat(), lenient('no single vendor has all of these members'))
    const tools = [{ type: 'bash_20250124', name: 'bash' }]
    const functions = [
      { type: 'function', function: { name: 'f' } },
      { type: 'web_search', web_search: { enable: false } },
    ]
    const off = { enable_search: false, search_parameters: { mode: 'off' }, plugins: [] }
    const answers = [
      await world.ask({ ...ASKED, service_tier: 'auto', web_search_options: null }),
      await world.ask({ ...ASKED, ...off, tools: functions }),
      await world.ask({ ...message, speed: 'standard', tools }, { path: '/v1/messages' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('unless the operator allows them', async () => {
    const world = await setUp(answerChat(), { options: [['UnpricedFeaturesEnabled', 'true']] })
    expect((await world.ask({ ...ASKED, service_tier: 'scale' })).status).toBe(200)
  })
})

test('a summary that Anthropic makes before it answers is charged too', async () => {
  const usage = { input_tokens: 1000, output_tokens: 10 }
  const summary = { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 }
  const iterations = [summary, { type: 'message', ...usage }]
  const content = [{ type: 'text', text: 'Hello' }]
  const answer = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn' }
  const script = [answerJson({ ...answer, usage: { ...usage, iterations } })]
  const allow = lenient('the beta that summarizes is not asked for')
  const world = await setUp([{ type: 14, script }], allow)
  const messages = [{ role: 'user', content: 'word '.repeat(40_000) }]
  const edits = [{ type: 'compact_20260112' }]
  const body = { ...message, messages, context_management: { edits } }
  expect((await world.ask(body, { path: '/v1/messages' })).status).toBe(200)
  await world.expectLog({ prompt_tokens: 181_000, completion_tokens: 3510 })
})
