import { expect, test } from 'vitest'
import {
  type ChannelValues,
  draftOf,
  editChannelForm,
  newChannelForm,
  newChannelValues,
} from './channel-values.ts'

const good: ChannelValues = { ...newChannelValues, name: 'main', key: 'sk-1', models: ['gpt-4o'] }

const problems = (schema: typeof newChannelForm, values: ChannelValues) =>
  Object.fromEntries(
    schema.safeParse(values).error?.issues.map(({ path, message }) => [path[0], message]) ?? [],
  )

test('asks a new channel for name and key, an edited one for its name only', () => {
  const bare = { ...good, name: ' ', key: '' }
  const message = 'channel.form.nameKeyError'
  expect(problems(newChannelForm, bare)).toEqual({ name: message, key: message })
  expect(problems(editChannelForm, bare)).toEqual({ name: 'common.form.required' })
  expect(problems(newChannelForm, good)).toEqual({})
})

test('asks for at least one model and for a mapping of names in JSON', () => {
  expect(problems(newChannelForm, { ...good, models: [] })).toEqual({
    models: 'channel.form.modelsError',
  })
  for (const model_mapping of ['{', '[]', '{"a":1}', '1']) {
    expect(problems(newChannelForm, { ...good, model_mapping })).toEqual({
      model_mapping: 'channel.form.mappingError',
    })
  }
  expect(problems(newChannelForm, { ...good, model_mapping: '{"a":"b"}' })).toEqual({})
})

test('asks for the address of a type that has none of its own', () => {
  expect(problems(newChannelForm, { ...good, type: 8 })).toEqual({
    base_url: 'channel.form.fieldRequired',
  })
  expect(problems(newChannelForm, { ...good, type: 8, base_url: 'ftp://x' })).toEqual({
    base_url: 'channel.form.addressError',
  })
})

test('fills in the versions that an empty field of Azure and Spark stands for', () => {
  expect(draftOf({ ...good, type: 3 }).other).toBe('2023-06-01-preview')
  expect(draftOf({ ...good, type: 18, other: ' ' }).other).toBe('v2.1')
  expect(draftOf({ ...good, type: 3, other: '2024-01-01' }).other).toBe('2024-01-01')
})

test('joins groups and models, and lifts a negative weight to 0', () => {
  const draft = draftOf({ ...good, groups: ['a', 'b'], models: ['x', 'y'], weight: -3 })
  expect(draft).toMatchObject({ group: 'a,b', models: 'x,y', weight: 0 })
  expect(draftOf({ ...good, groups: [] }).group).toBe('default')
})
