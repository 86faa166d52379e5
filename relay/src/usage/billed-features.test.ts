import { describe, expect, test } from 'vitest'
import {
  billedInChat,
  billedInContents,
  billedInMessages,
  billedInResponses,
} from './billed-features.ts'

const first = (features: readonly { member: string }[]) => features[0]?.member ?? null
const unpricedInChat = (json: Record<string, unknown>) => first(billedInChat(json))
const unpricedInMessages = (json: Record<string, unknown>) => first(billedInMessages(json))
const unpricedInContents = (json: Record<string, unknown>) => first(billedInContents(json))

const toolOf = (tool: unknown) => ({ tools: [tool] })
const off = { enable: false, mode: 'off' }

describe('in a chat', () => {
  test.each([
    ['web_search_options', [{}, off, false, 'x']],
    ['Web_search_options', [{}]],
    ['enable_search', [true, 1, 'true', off]],
    ['search_parameters', [true, {}, { enable: false }, { mode: 'auto' }]],
    ['web_search', [true, {}, { mode: 'off' }, { enable: 0 }]],
    ['with_search_enhance', [true, 1, off]],
    ['EnableEnhancement', [true, 1, off]],
    ['enable_enhancement', [true]],
    ['ForceSearchEnhancement', [true]],
    ['EnableDeepSearch', [true]],
    ['plugins', [[{ id: 'web' }], ['web'], off]],
    ['web_search_enabled', [true]],
    ['webSearchEnabled', [true]],
    ['service_tier', ['priority', 'fast', 'Priority', ' priority', 'performance', ['priority'], 1]],
    ['SERVICE_TIER', ['priority']],
    ['serviceTier', ['PRIORITY']],
    ['speed', ['fast', 'Fast']],
    ['preset', ['dear', '@preset/dear', {}]],
    ['providerOptions', [{ gateway: { models: ['dear'] } }]],
    ['provider_options', [{ gateway: {} }]],
  ])('%s is billed with any of %j', (name, values) => {
    for (const value of values) expect(unpricedInChat({ [name]: value })).toBe(name)
  })

  test.each([
    ['web_search_options', [null]],
    ['enable_search', [false, 0, '', 'false', null]],
    ['search_parameters', [{ mode: 'off' }, false, null]],
    ['web_search', [{ enable: false }, false, null]],
    ['EnableEnhancement', [false, null]],
    ['plugins', [[], false, null]],
    ['service_tier', ['auto', 'Auto', 'default', 'flex', '', null]],
    ['preset', ['', null]],
    ['providerOptions', [{ openai: {} }, null, 'x']],
    ['extra_body', [{ google: {} }, null, 'enable_search']],
    ['tools', [[], null]],
  ])('%s is not billed with any of %j', (name, values) => {
    for (const value of values) expect(unpricedInChat({ [name]: value })).toBeNull()
  })

  test.each([
    { googleSearch: {} },
    { type: 'function' },
    { type: 'function', custom: {} },
    { type: 'custom', function: {} },
    { type: 'builtin_function', function: { name: '$web_search' }, builtin_function: off },
    { type: 'openrouter:web_search', 'openrouter:web_search': off },
    { type: 'retrieval', retrieval: off },
    { type: 'web_search' },
    { type: 'web_search', web_search: { mode: 'off' } },
    { type: ['web_search'] },
    { type: 'Function', function: { name: 'f' } },
    { type: 'function', function: { name: '$web_search' } },
    { type: 'function', function: { name: 'f' }, web_search: { enable: true } },
    { type: 'function', function: { name: 'f' }, googleSearch: {} },
    { type: 'function', function: { name: 'f' }, Code_Interpreter: {} },
    null,
    'web_search',
  ])('a tool of a provider is billed: %j', (tool) => {
    expect(unpricedInChat(toolOf(tool))).toBe('tools.0')
    expect(unpricedInChat({ tools: tool ?? [tool] })).toBe('tools.0')
  })

  test.each([
    { type: 'function', function: { name: 'f' } },
    { function: { name: 'f' } },
    { type: 'function', name: 'f', parameters: {} },
    { name: 'f', input_schema: {} },
    { type: 'custom', custom: { name: 'f' } },
    { type: 'web_search', web_search: off },
  ])('a tool of the client is not billed, nor one that is off: %j', (tool) => {
    expect(unpricedInChat(toolOf(tool))).toBeNull()
  })
})

test.each([
  [{ extra_body: { enable_search: true } }, 'extra_body.enable_search'],
  [{ Extra_Body: { service_tier: 'priority' } }, 'Extra_Body.service_tier'],
  [{ extra_body: { extra_body: { preset: 'x' } } }, 'extra_body.extra_body.preset'],
])('members of extra_body are named: %j', (json, name) => {
  expect(unpricedInChat(json)).toBe(name)
  expect(unpricedInMessages(json)).toBe(name)
})

test.each([
  [{ plugins: [{ id: 'web' }] }, 'plugins'],
  [{ speed: 'fast' }, 'speed'],
  [{ Inference_Geo: 'us' }, 'Inference_Geo'],
  [toolOf({ type: 'web_search_20250305' }), 'tools.0'],
  [toolOf({ type: 'openrouter:web_search' }), 'tools.0'],
  [toolOf({ type: 'Web_Search_20250305' }), 'tools.0'],
  [toolOf({ name: 'web_search' }), null],
  [toolOf({ type: 'bash_20250124' }), null],
])('in a message: %j', (json, name) => {
  expect(unpricedInMessages(json)).toBe(name)
})

test.each([
  [{ tools: { google_search: {} } }, 'tools.0'],
  [{ serviceTier: 'PRIORITY' }, 'serviceTier'],
  [toolOf({ codeExecution: {} }), null],
])('in contents: %j', (json, name) => {
  expect(unpricedInContents(json)).toBe(name)
})

test('features that may have a price say which', () => {
  expect(billedInChat({ service_tier: ' Fast', web_search_options: {} })).toEqual([
    { member: 'service_tier', tier: 'priority' },
    { member: 'web_search_options', tool: 'search_answer', callsMax: 1 },
  ])
  const high = { search_context_size: 'high' }
  expect(billedInChat({ web_search_options: high })).toMatchObject([{ tool: 'search_answer_high' }])
  expect(billedInChat({ extra_body: { service_tier: 'priority' } })).toEqual([
    { member: 'extra_body.service_tier' },
  ])
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
  expect(billedInMessages({ speed: 'fast', inference_geo: 'US', tools: [search] })).toEqual([
    { member: 'speed', tier: 'fast' },
    { member: 'inference_geo', region: 'us' },
    { member: 'tools.0', tool: 'web_search', callsMax: 3 },
  ])
  expect(billedInMessages(toolOf({ type: 'code_execution_20250825' }))).toEqual([
    { member: 'tools.0' },
  ])
  expect(billedInContents({ ...toolOf({ google_search: {} }), serviceTier: 'PRIORITY' })).toEqual([
    { member: 'tools.0', tool: 'google_search' },
    { member: 'serviceTier', tier: 'priority' },
  ])
  const container = { type: 'auto', memory_limit: '4g' }
  const hosted = [{ type: 'web_search' }, { type: 'code_interpreter', container }]
  expect(billedInResponses({ max_tool_calls: 2 }, hosted)).toEqual([
    { member: 'web_search', tool: 'web_search', callsMax: 2 },
    { member: 'code_interpreter' },
  ])
})
