import { expect, test } from 'vitest'
import { NO_OVERRIDES } from './channel-overrides.ts'
import { overrideProblems, ruleBrokenBy } from './override-rules.ts'

const values = (given: Partial<Parameters<typeof overrideProblems>[0]> = {}) => ({
  ...NO_OVERRIDES,
  type: 1,
  ...given,
})

const RULE = 'advanced.field.ruleBroken'

test.each<[string, Partial<ReturnType<typeof values>>, string, string]>([
  ['a header of the gateway', { headers: [{ name: 'Host', value: 'x' }] }, 'headers.0.name', RULE],
  ['a name that is none', { headers: [{ name: 'X A', value: 'x' }] }, 'headers.0.name', RULE],
  ['no name', { headers: [{ name: '', value: 'x' }] }, 'headers.0.name', RULE],
  ['a value with a line end', { headers: [{ name: 'X', value: 'a\n' }] }, 'headers.0.value', RULE],
  [
    'no value',
    { headers: [{ name: 'X', value: '' }] },
    'headers.0.value',
    'advanced.field.headerValueMissing',
  ],
  [
    'a header that is listed twice',
    { headers: ['X', 'x'].map((name) => ({ name, value: 'y' })) },
    'headers.1.name',
    'advanced.field.headerTwice',
  ],
  ['no JSON', { set_parameters: '{a' }, 'set_parameters', 'advanced.field.notJson'],
  ['a list', { card: '[]' }, 'card', 'advanced.field.notJson'],
  ['a charged parameter', { set_parameters: '{"n":2}' }, 'set_parameters', RULE],
  ['a charged parameter to remove', { remove_parameters: ['n'] }, 'remove_parameters', RULE],
  [
    'a parameter that is set and removed',
    { set_parameters: '{"a":2}', remove_parameters: ['a'] },
    'set_parameters',
    RULE,
  ],
  ['an unknown fact', { card: '{"m":{"limit":{}}}' }, 'card', RULE],
  ['a cost of two kinds', { cost: '{"factor":1,"group_ratio":1}' }, 'cost', RULE],
  ['a cost below 0', { cost: '{"factor":-1}' }, 'cost', RULE],
  [
    'parameters of a type whose requests are signed',
    { type: 23, remove_parameters: ['a'] },
    'remove_parameters',
    'advanced.field.parametersUnsupported',
  ],
])('%s is found', (_, given, path, key) => {
  const found = overrideProblems(values(given))
  expect(found.map((problem) => [problem.path.join('.'), problem.key])).toEqual([[path, key]])
})

test('a field names the rule it breaks, in both languages', () => {
  const wrong = values({
    set_parameters: '{"max_tokens":1}',
    remove_parameters: ['seed', 'n'],
    card: '{"m":{"reasoning":{"efforts":["more"]}}}',
  })
  expect(ruleBrokenBy('set_parameters', wrong, 'en')).toBe(
    'max_tokens: must leave "max_tokens" alone, because a request is charged by it',
  )
  expect(ruleBrokenBy('remove_parameters', wrong, 'zh')).toBe(
    'n：不能更改“n”，因为它决定请求的费用',
  )
  expect(ruleBrokenBy('card', wrong, 'en')).toBe(
    'm.reasoning.efforts.0: must be one of none, minimal, low, medium, high, xhigh, max',
  )
  expect(ruleBrokenBy('card', values(), 'en')).toBeNull()
})
