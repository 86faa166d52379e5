import { expect, test } from 'vitest'
import { presets } from '@tollgate/relay/presets'
import {
  type ChannelValues,
  countKeys,
  draftOf,
  editChannelForm,
  editOf,
  newChannelForm,
  newChannelValues,
} from './channel-values.ts'

const good: ChannelValues = { ...newChannelValues, name: 'main', key: 'sk-1', models: ['gpt-4o'] }
const openai = { type: 1, base_url: '' }
const editForm = editChannelForm(openai)

const problems = async (schema: typeof newChannelForm, values: ChannelValues) =>
  Object.fromEntries(
    (await schema.safeParseAsync(values)).error?.issues.map(({ path, message }) => [
      path[0],
      message,
    ]) ?? [],
  )

test('a preset with an account asks for the operator’s own', async () => {
  const preset = presets.find(({ id }) => id === 'cloudflare')
  if (preset === undefined) throw new Error('no preset')
  const { type, baseUrl, models } = preset
  const values = { ...good, type, base_url: baseUrl, models: [...models] }
  expect(await problems(newChannelForm, values)).toEqual({
    base_url: 'channelForm.addressAccountError',
  })
  const own = values.base_url.replace('ACCOUNT_ID', '0123abcd')
  expect(await problems(newChannelForm, { ...values, base_url: own })).toEqual({})
})

test('a new channel of a type without keys needs none', async () => {
  const ollama = { ...good, type: 30, key: ' ' }
  expect(await problems(newChannelForm, ollama)).toEqual({})
  expect(draftOf(ollama).key).toBe('ollama')
  expect(draftOf({ ...ollama, key: 'sk-own' }).key).toBe('sk-own')
})

test('requires name and key for a new channel, only the name for an edited one', async () => {
  const bare = { ...good, name: ' ', key: '' }
  expect(await problems(newChannelForm, bare)).toEqual({
    name: 'channelForm.nameError',
    key: 'channelForm.keyError',
  })
  expect(await problems(editForm, bare)).toEqual({ name: 'common.form.required' })
  expect(await problems(newChannelForm, good)).toEqual({})
  expect(await problems(editForm, { ...good, key: '' })).toEqual({})
})

test('reports all errors at once', async () => {
  const wrong = {
    ...good,
    type: 8,
    name: '',
    key: ' ',
    models: [],
    model_mapping: '{',
    priority: 1.5,
    weight: 1e9,
  }
  expect(await problems(newChannelForm, wrong)).toEqual({
    name: 'channelForm.nameError',
    key: 'channelForm.keyError',
    models: 'channelForm.modelsError',
    model_mapping: 'channelForm.mappingError',
    base_url: 'channelForm.fieldRequired',
    priority: 'channelForm.numberError',
    weight: 'channelForm.numberError',
  })
})

test('a mapping is a JSON object of names', async () => {
  for (const model_mapping of ['{', '[]', '{"a":1}', '1']) {
    expect(await problems(newChannelForm, { ...good, model_mapping })).toEqual({
      model_mapping: 'channelForm.mappingError',
    })
  }
  expect(await problems(newChannelForm, { ...good, model_mapping: '{"a":"b"}' })).toEqual({})
})

test('an address begins with http or https', async () => {
  expect(await problems(newChannelForm, { ...good, type: 8, base_url: 'ftp://x' })).toEqual({
    base_url: 'channelForm.addressError',
  })
})

test('a pasted key is sent without the invisible characters of its source', () => {
  expect(draftOf({ ...good, key: '\u200bsk-1\u2060\nsk-2\ufeff' }).key).toBe('sk-1\nsk-2')
})

test('requires the key again if it would be sent to another machine, and only then', async () => {
  const moved = { ...good, key: '', base_url: 'https://elsewhere.example' }
  expect(await problems(editForm, moved)).toEqual({ key: 'channelForm.keyAgain' })
  expect(await problems(editForm, { ...moved, key: 'sk-2' })).toEqual({})
  expect(await problems(editForm, { ...moved, base_url: 'https://api.openai.com/v1/ ' })).toEqual(
    {},
  )
})

test('fills in the default versions for empty fields of Azure and Spark', () => {
  expect(draftOf({ ...good, type: 3 }).other).toBe('2023-06-01-preview')
  expect(draftOf({ ...good, type: 18, other: ' ' }).other).toBe('v2.1')
  expect(draftOf({ ...good, type: 3, other: '2024-01-01' }).other).toBe('2024-01-01')
})

test('joins groups and models, raises a negative weight to 0 and removes a trailing slash', () => {
  const draft = draftOf({
    ...good,
    groups: ['a', 'b'],
    models: ['x', 'y'],
    weight: -3,
    base_url: 'https://a.example/v1/ ',
  })
  expect(draft).toMatchObject({ group: 'a,b', models: 'x,y', weight: 0 })
  expect(draft).toMatchObject({ base_url: 'https://a.example/v1', multi_key: false })
  expect(draftOf({ ...good, groups: [] }).group).toBe('default')
})

test('a tag is sent without blanks around it, and an empty tag too, which removes it', () => {
  expect(editOf({ ...good, tag: ' eu west ' }).tag).toBe('eu west')
  expect(editOf(good).tag).toBe('')
})

test('an empty number is not sent, and an edit does not say how keys are split', () => {
  const sent = editOf({ ...good, priority: '', weight: '' })
  expect(Object.keys(sent)).not.toContain('priority')
  expect(Object.keys(sent)).not.toContain('weight')
  expect(Object.keys(sent)).not.toContain('multi_key')
})

test('keys are counted as the server counts them: once each, without blank lines', () => {
  expect(countKeys('')).toBe(0)
  expect(countKeys(' sk-1\r\n\nsk-2\nsk-1 \n')).toBe(2)
})
