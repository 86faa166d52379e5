import { expect, test } from 'vitest'
import { shutModels } from './shut-models.ts'

test('a model counts from its day on, under the name that the provider receives', () => {
  const shut = (model_mapping: string, today: string) =>
    shutModels({ models: 'gpt-image-1.5,gpt-4,gpt-6.2-sol,mine', model_mapping }, today)
  const dead = { model: 'gpt-4', day: '2026-10-23' }
  expect(shut('', '2026-11-30')).toEqual([dead])
  expect(shut('', '2026-12-01')).toEqual([{ model: 'gpt-image-1.5', day: '2026-12-01' }, dead])
  const mapping = '{"gpt-4": "gpt-6.2-sol", "mine": "o1"}'
  expect(shut(mapping, '2026-11-30')).toEqual([{ model: 'mine', day: '2026-10-23' }])
  expect(shut('{"gpt-4": ', '2026-11-30')).toEqual([dead])
})
