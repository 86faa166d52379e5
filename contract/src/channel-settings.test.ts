import { expect, test } from 'vitest'
import { readChannelSettings, settingsProblem } from './channel-settings.ts'

const problemOf = (settings: object) => {
  const { field, problem } = settingsProblem(settings) ?? {}
  return field === undefined ? null : `${field} ${problem?.en}`
}

const MANY = Array.from({ length: 51 }, (_, at) => `p${at}`)
const asMembers = (names: readonly string[], value: unknown = 'x') =>
  Object.fromEntries(names.map((name) => [name, value]))
const card = (m: object) => ({ card: { m } })
const nested = (depth: number): unknown => (depth === 0 ? 1 : { inner: nested(depth - 1) })

test.each<[string, object]>([
  ['nothing', {}],
  [
    'members of other installations',
    { region: 'us-east-1', ak: 'x', sk: 'y', user_id: 'u', plugin: 'p', proxy: 'http://p:1' },
  ],
  ['headers', { headers: { 'X-Team': 'a b', 'anthropic-beta': 'x-2025-01-01,y' } }],
  ['parameters', { set_parameters: { top_k: 1, 'thinking.type': 'disabled', a: null } }],
  ['a member of a container', { set_parameters: { 'generationConfig.topK': 1 } }],
  [
    'a schema whose members have names of any kind',
    {
      set_parameters: {
        response_format: { json_schema: { schema: { properties: { model: {}, n: {} } } } },
      },
    },
  ],
  ['removed parameters', { remove_parameters: ['service_tier', 'logit_bias', 'thinking'] }],
  ['different members of an object', { set_parameters: { 'a.b': 1 }, remove_parameters: ['a.c'] }],
  [
    'cards',
    {
      card: {
        '*': { reasoning: { how: 'none' } },
        'm-1': { limits: { output: 10, context: null }, sampling: { topP: { min: 0, max: 1 } } },
      },
    },
  ],
  [
    'what the provider charges',
    {
      cost: {
        factor: 0.8,
        reported: true,
        models: { 'm-1': { input: 1, output: 2, cached: 0.1, cache_write: 1.25, call: 0 } },
      },
    },
  ],
])('%s may be stored', (_, settings) => {
  expect(problemOf(settings)).toBeNull()
  expect(readChannelSettings(JSON.stringify(settings))).toEqual(settings)
})

test.each<[object, string]>([
  [{ headers: [] }, 'headers must be an object'],
  [{ cost: { factor: 1, group_ratio: 1 } }, 'cost must not have both factor and group_ratio'],
  [{ headers: { 'X-A': 1 } }, 'headers.X-A must be a text'],
  [{ headers: { 'X A': 'x' } }, 'headers.X A must be the name of a header, such as X-Team'],
  [{ headers: { 'X-A\n': 'x' } }, 'headers.X-A\n must be the name of a header, such as X-Team'],
  ...['Authorization', 'HOST', 'content-length', 'Transfer-Encoding', 'sec-websocket-key'].map(
    (name): [object, string] => [
      { headers: { [name]: 'x' } },
      `headers.${name} is a header that the gateway sets itself`,
    ],
  ),
  ...['a\r\nb', ' a', 'ä', ''].map((value): [object, string] => [
    { headers: { 'X-A': value } },
    'headers.X-A must be text of ASCII characters without spaces at its ends',
  ]),
  [{ headers: { 'X-A': 'x'.repeat(4001) } }, 'headers.X-A must have at most 4000 characters'],
  [{ headers: { 'X-A': 'x', 'x-a': 'y' } }, 'headers must have each header once'],
  [{ headers: asMembers(MANY) }, 'headers must have at most 30 headers'],
  [{ set_parameters: ['a'] }, 'set_parameters must be an object'],
  [
    { set_parameters: { 'a..b': 1 } },
    'set_parameters.a..b must be a name, or names with dots between, such as thinking.type',
  ],
  [
    { set_parameters: { __proto__x: 1 } },
    'set_parameters.__proto__x must be a name, or names with dots between, such as thinking.type',
  ],
  [{ set_parameters: asMembers(MANY) }, 'set_parameters must have at most 50 parameters'],
  [{ set_parameters: { a: nested(30) } }, 'set_parameters.a is nested too deeply'],
  [
    { set_parameters: { generationConfig: { topK: 1 } } },
    'set_parameters.generationConfig must name a member of "generationConfig", such as generationConfig.top_k',
  ],
  [{ set_parameters: { a: 1, 'a.b': 2 } }, 'set_parameters.a.b must not overlap with "a"'],
  [
    { set_parameters: { 'a.b': 1 }, remove_parameters: ['a'] },
    'set_parameters.a.b must not overlap with "a"',
  ],
  [
    { set_parameters: { Temperature: 1, temperature: 2 } },
    'set_parameters.temperature must not overlap with "Temperature"',
  ],
  [{ remove_parameters: ['a', 'a.b'] }, 'remove_parameters.1 must not overlap with "a"'],
  [{ remove_parameters: 'top_k' }, 'remove_parameters must be a list'],
  [{ remove_parameters: MANY }, 'remove_parameters must have at most 50 parameters'],
  [
    { remove_parameters: ['disable_search'] },
    'remove_parameters.0 must leave "disable_search" alone, because a request is charged by it',
  ],
  [
    { remove_parameters: ['extra_body'] },
    'remove_parameters.0 must name a member of "extra_body", such as extra_body.top_k',
  ],
  [{ card: [] }, 'card must be an object'],
  [card({ reasons: {} }), 'card.m has an unknown member "reasons"'],
  [card({ reasoning: { effort: 1 } }), 'card.m.reasoning has an unknown member "effort"'],
  [
    card({ reasoning: { efforts: ['more'] } }),
    'card.m.reasoning.efforts.0 must be one of none, minimal, low, medium, high, xhigh, max',
  ],
  [card({ limits: { output: 0 } }), 'card.m.limits.output must be at least 1'],
  [
    card({ sampling: { temperature: { min: 2, max: 1 } } }),
    'card.m.sampling.temperature must have a min of at most its max',
  ],
  [card({ content: { takesPrefill: 'no' } }), 'card.m.content.takesPrefill must be true or false'],
  [{ card: asMembers(MANY, {}) }, 'card must have at most 50 models'],
])('%j is refused', (settings, problem) => {
  expect(problemOf(settings)).toBe(problem)
  expect(readChannelSettings(JSON.stringify(settings))).toEqual({})
})

const CHARGED =
  `model models MODEL messages input prompt contents system stream stream_options tools
  n best_of candidateCount modalities prediction max_tokens maxOutputTokens max_completion_tokens
  max_new_tokens num_predict thinking.budget_tokens thinking_budget options.num_predict mcp_servers
  generation_config.max_output_tokens reasoning.max_tokens container`.split(/\s+/)
const BILLED = ['service_tier', 'enable_search', 'web_search_options', 'plugins', 'speed']

test.each(CHARGED)('%s is neither set nor removed, because a request is charged by it', (path) => {
  const name = path.split('.').at(-1)
  const rule = `must leave "${name}" alone, because a request is charged by it`
  expect(problemOf({ set_parameters: { [path]: 1 } })).toBe(`set_parameters.${path} ${rule}`)
  expect(problemOf({ remove_parameters: [path] })).toBe(`remove_parameters.0 ${rule}`)
  const [first = '', inner] = path.split('.')
  const whole = { anything: [{ [first]: inner === undefined ? 1 : { [inner]: 1 } }] }
  expect(problemOf({ set_parameters: whole })).toMatch(/^set_parameters\.anything must leave/)
})

test.each(BILLED)('%s, which is billed in addition, may only be removed', (path) => {
  expect(problemOf({ set_parameters: { [path]: true } })).toMatch(/must leave/)
  expect(problemOf({ remove_parameters: [path] })).toBeNull()
})

test('efforts count weakest first, in whatever order they are written', () => {
  const config = JSON.stringify(card({ reasoning: { efforts: ['high', 'low'] } }))
  expect(readChannelSettings(config).card?.['m']?.reasoning?.efforts).toEqual(['low', 'high'])
})

test.each(['', '{', '[]', 'null', '"x"'])('a stored %j has no settings', (config) => {
  expect(readChannelSettings(config)).toEqual({})
})
