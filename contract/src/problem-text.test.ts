import { expect, test } from 'vitest'
import { z } from 'zod'
import { firstProblem, parseIn } from './problem.ts'

const schema = z.object({
  whole: z.int().min(0).max(10),
  ratio: z.number().positive().lt(3),
  name: z.string().min(1).max(5),
  password: z.string().min(8),
  list: z.array(z.int()).min(1).max(2),
  table: z.record(z.string(), z.number()),
  flag: z.boolean(),
  theme: z.enum(['light', 'dark']),
})

const good = {
  whole: 1,
  ratio: 1,
  name: 'a',
  password: '12345678',
  list: [1],
  table: {},
  flag: true,
  theme: 'light',
}

function problemOf(value: unknown, language: 'en' | 'zh') {
  const parsed = parseIn(schema, value, language)
  if (parsed.success) throw new Error('it is valid')
  return firstProblem(parsed.error, language).problem
}

test.each([
  ['whole', 1e300, 'must be at most 10', '不能大于 10'],
  ['whole', -(2 ** 60), 'must be at least 0', '不能小于 0'],
  ['whole', 'x', 'must be a number', '必须是数字'],
  ['whole', 1.5, 'must be a whole number', '必须是整数'],
  ['whole', -1, 'must be at least 0', '不能小于 0'],
  ['whole', 11, 'must be at most 10', '不能大于 10'],
  ['whole', undefined, 'it is missing', '缺少该字段'],
  ['ratio', 0, 'must be more than 0', '必须大于 0'],
  ['ratio', 3, 'must be less than 3', '必须小于 3'],
  ['ratio', null, 'must be a number', '必须是数字'],
  ['name', 5, 'must be a text', '必须是文本'],
  ['name', '', 'must not be empty', '不能为空'],
  ['name', '123456', 'must have at most 5 characters', '最多 5 个字符'],
  ['password', 'x', 'must have at least 8 characters', '至少 8 个字符'],
  ['list', {}, 'must be a list', '必须是列表'],
  ['list', [1, 2, 3], 'must have at most 2 items', '最多 2 项'],
  ['table', [], 'must be an object', '必须是对象'],
  ['table', { a: 'x' }, 'must be a number', '必须是数字'],
  ['flag', 'true', 'must be true or false', '只能是 true 或 false'],
  ['theme', 'neon', 'must be one of light, dark', '只能是 light、dark'],
])('%s %j: the allowed values, in both languages', (field, value, en, zh) => {
  const given = { ...good, [field]: value }
  expect([problemOf(given, 'en'), problemOf(given, 'zh')]).toEqual([en, zh])
})

test('the name of a row is part of its error, up to a maximum length', () => {
  const rows = z.record(z.string().max(5), z.number())
  const parsed = parseIn(rows, { ['x'.repeat(1000)]: 1 }, 'zh')
  const problem = parsed.error && firstProblem(parsed.error, 'zh')
  expect(problem).toEqual({ field: `${'x'.repeat(100)}…`, problem: '最多 5 个字符' })
})

test("errors without a text of the gateway have the library's, in the reader's language", () => {
  const parsed = parseIn(z.strictObject({}), { extra: 1 }, 'zh')
  expect(parsed.error && firstProblem(parsed.error, 'zh').problem).toMatch(/未知/)
})
