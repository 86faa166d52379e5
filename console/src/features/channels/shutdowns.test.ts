import { expect, test } from 'vitest'
import { shutModels } from './shutdowns.ts'

const DAYS = { 'gpt-4': '2026-10-23', o1: '2026-11-28' }

const shut = (models: string[], mapping: string, today: string) =>
  shutModels({ models, mapping }, DAYS, today).map(({ model }) => model)

test('a model counts from its day on, under the name that the provider receives', () => {
  const models = ['o1', 'gpt-4', 'gpt-5.4', 'mine', 'constructor']
  expect(shut(models, '', '2026-11-27')).toEqual(['gpt-4'])
  expect(shut(models, '', '2026-11-28')).toEqual(['o1', 'gpt-4'])
  expect(shut(models, '{"gpt-4": "gpt-5.4", "mine": "o1"}', '2026-11-28')).toEqual(['o1', 'mine'])
})

test('a mapping that is no JSON object maps nothing', () => {
  for (const mapping of ['{"gpt-4"', 'null', '3', ' ']) {
    expect(shut(['gpt-4'], mapping, '2026-11-27')).toEqual(['gpt-4'])
  }
})
