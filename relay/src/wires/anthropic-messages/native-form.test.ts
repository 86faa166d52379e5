import { describe, expect, test } from 'vitest'
import { listOf, member, parseJson } from '../../bytes/json-value.ts'
import { finish } from '../../bytes/steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { FILE_TOKENS_MAX } from '../../tokens/attachments.ts'
import { NO_USAGE } from '../../usage/usage.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { nativeEnd } from './native-form.ts'
import { readMessagesRequest } from './read-request.ts'

const USAGE = { ...NO_USAGE, promptTokens: 9, cachedTokens: 3, completionTokens: 4 }

const readAny = (body: string, headers = {}) =>
  finish(readMessagesRequest(Buffer.from(body), { headers, cipher: READABLE_CIPHER }))

const read = (body: string, headers = {}) => accepted(readAny(body, headers))

const bodyOf = (rest: string, content = '"hi"') =>
  `{"model": "m", "max_tokens":100 , "messages":[{"role":"user","content":${content}}]${rest}}`

const native = (body: string, headers = {}) => {
  const form = read(body, headers).native
  if (form === undefined) throw new Error('it has no native form')
  return form
}

/** The messages that a model gets of these. */
function messagesFor(model: string, messages: readonly object[]): readonly unknown[] {
  const form = native(JSON.stringify({ model: 'm', max_tokens: 9, messages }))
  return listOf(member(parseJson(form.encode({ model }).toString()), 'messages'))
}

const withRoles = (roles: readonly string[]) =>
  roles.map((role, at) => ({ role, content: `${at}` }))

test.each([
  ['claude-opus-4-8', ['user', 'user', 'system']],
  ['anthropic/claude-sonnet-4.10', ['user', 'user', 'system']],
  ['claude-sonnet-5', ['user', 'user', 'system']],
  ['claude-opus-4-7-20260401', ['user', 'user', 'user']],
  ['claude-sonnet-4-20250514', ['user', 'user', 'user']],
  ['claude-3-7-sonnet', ['user', 'user', 'user']],
  ['glm-5', ['user', 'user', 'user']],
])('%s gets instructions among the messages with the roles %j', (model, roles) => {
  const given = withRoles(['system', 'user', 'system'])
  expect(messagesFor(model, given)).toEqual(withRoles(roles))
})

test('Claude is not asked to clear reasoning that is off', () => {
  const edits = '[{"type":"clear_thinking_20251015"},{"type":"clear_tool_uses_20250919"}]'
  const rest = `,"thinking":{"type":"disabled"},"context_management":{"edits":${edits}}`
  const sent = native(bodyOf(rest)).encode({ model: 'claude-sonnet-4-5' }).toString()
  expect(sent).not.toContain('clear_thinking')
  expect(sent).toContain('clear_tool_uses')
})

test.each([
  ['', false],
  [',"mcp_servers":[{"type":"url","name":"x","url":"https://a.example/"}]', true],
])('a choice without tools is kept for servers of MCP: %j', (servers, isKept) => {
  const form = native(bodyOf(`,"tool_choice":{"type":"none"}${servers}`))
  expect(form.encode({ model: 'm' }).includes('tool_choice')).toBe(isKept)
})

test.each([
  ['user system', 'user system'],
  ['user system assistant system user', 'user system assistant user user'],
  ['user system system assistant user', 'user user system assistant user'],
  ['user system user', 'user user user'],
])('of the roles %j new Claudes get %j', (given, roles) => {
  const sent = messagesFor('claude-opus-5', withRoles(given.split(' ')))
  expect(sent).toEqual(withRoles(roles.split(' ')))
})

test.each([
  '[{"type":"image_url","image_url":{}}]',
  '[{"type":"file","file":{"file_id":"file-1"}}]',
  '[{"type":"input_file","file_data":"JVBERi0="}]',
])('the part %s has no address, and is left as it is', (content) => {
  const body = bodyOf('', content)
  expect(native(body).encode({ model: 'm' }).toString()).toBe(body)
})

test('toolsets without a name are kept', () => {
  const tools = ['a', 'b'].map((name) => ({ type: 'mcp_toolset', mcp_server_name: name }))
  const body = bodyOf(`, "tools": ${JSON.stringify(tools)}`)
  expect(native(body).encode({ model: 'm' }).toString()).toBe(body)
})

test('results of calls become no part of an instruction before them', () => {
  const call = { type: 'tool_use', id: 't', name: 'f', input: {} }
  const answer = { role: 'assistant', content: [call] }
  const result = { type: 'tool_result', tool_use_id: 't', content: 'r' }
  const messages = [
    { role: 'user', content: 'a' },
    answer,
    { role: 'system', content: 'b' },
    { role: 'user', content: [result] },
  ]
  const turn = { role: 'user', content: [result, { type: 'text', text: 'b' }] }
  expect(messagesFor('claude-opus-4-8', messages)).toEqual([messages[0], answer, turn])
})

test('bytes stay unchanged except where they must change', () => {
  const body = bodyOf(', "x":12345678901234567890')
  const sent = (target: { model: string; outputLimit?: number }) =>
    native(body).encode(target).toString()
  for (const limit of [{}, { outputLimit: 100 }, { outputLimit: 200 }]) {
    expect(sent({ model: 'm', ...limit })).toBe(body)
  }
  const limited = body.replace('"m"', '"o"').replace(':100', ':7')
  expect(sent({ model: 'o', outputLimit: 7 })).toBe(limited)
})

const CLAUDE = 'claude-sonnet-4-5'
const user = { role: 'user', content: 'hi' }
const bodyWith = (turns: object[], rest = '') =>
  `{"model":"m","max_tokens":9,"x":1.0,"messages":${JSON.stringify([user, ...turns])}${rest}}`
const sentTo = (model: string, given: string) =>
  native(given).encode({ model }).toString().replace(JSON.stringify(model), '"m"')

/** The seal of `reasoning_details` that another provider gave. */
const DETAILS = 'tg2.reasoning_details.W10'

describe('reasoning that Anthropic has not signed', () => {
  const thought = (signature?: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
  const text = { type: 'text', text: 'So.' }
  const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }
  const said = (...content: object[]) => ({ role: 'assistant', content })
  const body = bodyWith
  const sent = (given: string, model = CLAUDE) => sentTo(model, given)
  const UUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

  test('is not sent to Claude, and unchanged to other models', () => {
    const given = [
      said(thought(''), text),
      said(thought()),
      said(thought(UUID), text),
      said(thought(DETAILS)),
      user,
    ]
    expect(sent(body(given))).toBe(body([said(text), said(text), user]))
    const signed = body([said(thought('s'), text), user]).replace(':9', ': 9')
    expect(sent(signed)).toBe(signed)
    const called = body([said(thought(''), text, use), { role: 'user', content: [result] }])
    for (const model of ['kimi-for-coding', 'deepseek-v4-pro', 'glm-5.2']) {
      expect(sent(called, model)).toBe(called)
    }
  })

  test('is required after tool calls, so the model stops reasoning', () => {
    const results = { role: 'user', content: [result] }
    const enabled = ',"thinking":{"type":"enabled","budget_tokens":1024}'
    expect(sent(body([said(thought(''), use), results], enabled))).toBe(body([said(use), results]))
    const own = body([said(thought('s'), use), results], enabled)
    expect(sent(own)).toBe(own)
    const adaptive = ',"thinking":{"type":"adaptive"}'
    expect(sent(body([said(thought(''), use), results], adaptive))).toBe(
      body([said(use), results], adaptive),
    )
  })
})

describe('ids of calls by other providers', () => {
  const turns = (...ids: string[]) =>
    ids.flatMap((id) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
    ])

  test.each([
    ['rewritten for Claude', CLAUDE, ['functions.Read:0', 'x'], ['tg_functions_2eRead_3a0', 'x']],
    ['unique for Claude', CLAUDE, ['call_0', 'call_0'], ['call_0', 'call_0_2']],
    ['unchanged for other models', 'kimi-for-coding', ['f.R:0', 'f.R:0'], ['f.R:0', 'f.R:0']],
  ])('are %s', (_how, model, given, ids) => {
    expect(sentTo(model, bodyWith(turns(...given)))).toBe(bodyWith(turns(...ids)))
  })
})

describe("Anthropic's billing line", () => {
  const LINE = 'x-anthropic-billing-header: cc_version=2.1.177.01c; cch=36ee5;'
  const block = (text: string) => ({ type: 'text', text })
  const body = (system: unknown) => bodyOf(`,"system":${JSON.stringify(system)}`)
  const rows: [string, unknown, unknown][] = [
    ['a block', [block(LINE), block('Be kind.')], [block('Be kind.')]],
    ['the first line of a block', [block(`${LINE}\n\nBe kind.`)], [block('Be kind.')]],
    ['the first line of a text', `${LINE}\nBe kind.`, 'Be kind.'],
    ['a word within a text', [block(`See ${LINE}`)], [block(`See ${LINE}`)]],
  ]

  test.each(rows)('is sent to Claude only: %s', (_title, given, others) => {
    const sent = (model: string) => native(body(given)).encode({ model }).toString()
    expect(sent('claude-opus-5')).toBe(body(given).replace('"m"', '"claude-opus-5"'))
    expect(sent('kimi-for-coding')).toBe(body(others).replace('"m"', '"kimi-for-coding"'))
    const content = typeof others === 'string' ? others : member(listOf(others)[0], 'text')
    expect(read(body(given)).json()['messages']).toMatchObject([{ role: 'system', content }, {}])
  })

  test('leaves no empty system prompt behind', () => {
    for (const system of [LINE, [block(LINE)]]) {
      expect(native(body(system)).encode({ model: 'm' }).toString()).toBe(bodyOf(''))
    }
    expect(read(body(LINE)).json()['messages']).toMatchObject([{ role: 'user' }])
  })
})

test('a stream flag the gateway reads as false is false for the provider too', () => {
  const sent = native(bodyOf(',"stream":"true"')).encode({ model: 'm' }).toString()
  expect(sent).toBe(bodyOf(',"stream":false'))
})

test.each([
  [bodyOf(',"model":"dear"'), 'model'],
  [bodyOf(',"Max_Tokens":9'), 'Max_Tokens'],
  [bodyOf(',"ſtream":true'), 'ſtream'],
  [bodyOf(',"Tools":[]'), 'Tools'],
])('%s is refused, because a provider could read it differently', (body, param) => {
  expect(readAny(body)).toMatchObject({ param })
})

test.each([
  [',"fallbacks":[{"model":"dear"}]', 'fallbacks.0.model'],
  [',"tools":[{"name":"f"},{"type":"advisor_20260301","model":"dear"}]', 'tools.1.model'],
  [',"fallback":{"model":"dear"}', 'fallback.model'],
  [',"models":["dear"]', 'models'],
  [',"Fallbacks":["dear"]', 'Fallbacks'],
  [',"fallbacks":null,"models":[],"route":"fallback"', 'route'],
])('%s is refused, because it would be charged as the requested model', (rest, param) => {
  expect(readAny(bodyOf(rest))).toMatchObject({ param })
})

test('only headers of the API are forwarded, bounded and cleaned', () => {
  const headersOf = (headers: object) => native(bodyOf(''), headers).headers
  expect(
    headersOf({
      'anthropic-version': '2023-06-01',
      'anthropic-beta':
        'context-management-2025-06-27, mcp-client-2025-04-04,a b,é,oauth-2025-04-20',
      authorization: 'Bearer x',
      cookie: 'c',
    }),
  ).toEqual({
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'context-management-2025-06-27,mcp-client-2025-04-04',
  })
  expect(headersOf({ 'anthropic-version': 'latest\r\n', 'anthropic-beta': ['', 'x'] })).toEqual({
    'anthropic-beta': 'x',
  })
  const many = Array.from({ length: 99 }, (_none, at) => `b${at}`)
  expect(headersOf({ 'anthropic-beta': many })['anthropic-beta']?.split(',')).toHaveLength(32)
})

test('whether other dialects would lose something, or cannot be used at all', () => {
  const lossy = (rest: string) => native(bodyOf(rest)).isLossy
  expect(lossy(',"top_k":1,"context_management":null')).toBe(false)
  expect(lossy(',"tools":[{"name":"f","input_schema":{}}]')).toBe(false)
  expect(lossy(',"output_format":{"type":"json_schema","schema":{}}')).toBe(false)
  expect(lossy(',"tools":[{"type":"web_search_20250305","name":"web_search"}]')).toBe(true)
  expect(lossy(',"context_management":{"edits":[]}')).toBe(true)
  expect(native(bodyOf('')).obstacle).toBeNull()
  expect(native(bodyOf('', '[{"type":"container_upload","file_id":"f"}]')).obstacle).toMatchObject({
    type: 'invalid_request_error',
    param: 'messages.0.content.0.type',
  })
})

test('no prompt has more tokens than its hold covers', () => {
  const most = (body: string) => read(body).promptTokensUpperBound - body.length
  expect(most(bodyOf(', "novelty":"a member of whatever length counts with its bytes"'))).toBe(0)
  const search = '{"type":"web_search_20250305","name":"web_search"}'
  expect(most(bodyOf(`,"tools":[${search},${search}]`))).toBe(2 * FILE_TOKENS_MAX)
  expect(most(bodyOf(',"mcp_servers":[{}],"container":{}'))).toBe(2 * FILE_TOKENS_MAX)
  // Other models read the schema of a tool that Claude knows.
  const bash = '{"type":"bash_20250124","name":"bash"}'
  expect(most(bodyOf(`,"tools":[${bash}]`))).toBeGreaterThan(FILE_TOKENS_MAX + 200)
  const image = '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}'
  expect(most(bodyOf('', `[${image}]`))).toBeGreaterThan(11_000)
  const upload = '{"type":"container_upload","file_id":"f"}'
  expect(most(bodyOf('', `[${upload},${image}]`))).toBe(FILE_TOKENS_MAX + 12_000 - 4)
  const byId = '{"type":"image","source":{"type":"file","file_id":"f"}}'
  expect(most(bodyOf('', `[${byId}]`))).toBe(12_000)
})

test('the size of files and results of tools is unknown', () => {
  const has = (rest: string, content?: string) => read(bodyOf(rest, content)).hasFiles
  expect(has(',"tools":[{"name":"f","input_schema":{}}]')).toBe(false)
  expect(has('', '[{"type":"image","source":{"type":"url","url":"https://x/y.png"}}]')).toBe(false)
  const document = '{"type":"document","source":{"type":"url","url":"https://x/y.pdf"}}'
  expect(has('', `[${document}]`)).toBe(true)
  expect(has('', '[{"type":"container_upload","file_id":"f"}]')).toBe(true)
  expect(has(',"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]')).toBe(true)
  expect(has(',"mcp_servers":[{}]')).toBe(true)
})

test('texts of members that only Anthropic understands are counted', () => {
  const upload = '[{"type":"container_upload","file_id":"f"},{"type":"text","text":"Hello"}]'
  const { json, outputLimit } = read(bodyOf(',"system":"Short."', upload))
  expect(json()['messages']).toEqual([{ role: 'user', content: 'f\nHello\nShort.' }])
  expect(outputLimit).toBe(100)
})

const event = (type: string, rest = '') =>
  Buffer.from(`event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`)

test('an end is passed on unchanged, and what is missing is added', () => {
  const delta = event('message_delta', ',"delta":{"stop_reason":"end_turn"}')
  const stop = event('message_stop')
  expect(nativeEnd([delta, stop], null).toString()).toBe([delta, stop].join(''))
  expect(nativeEnd([delta], null).toString()).toBe([delta, stop].join(''))
  const told =
    ',"delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":6,' +
    '"cache_creation_input_tokens":0,"cache_read_input_tokens":3,"output_tokens":4}'
  expect(nativeEnd([delta, stop], USAGE).toString()).toBe(
    [event('message_delta', told), stop].join(''),
  )
})

test('an answer without usage receives the metered usage', () => {
  const { withUsage } = native(bodyOf(''))
  expect(finish(withUsage(Buffer.from('{"x": 1}'), USAGE)).toString()).toMatch(
    /^\{"x": 1,"usage":\{"input_tokens":6,.*"output_tokens":4\}\}$/,
  )
  expect(finish(withUsage(Buffer.from('no JSON'), USAGE)).toString()).toBe('no JSON')
})
