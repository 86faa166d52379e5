import { expect, test } from 'vitest'
import type { Channel } from '@tollgate/contract'
import { changesOf, emptied, isMapping, isNumber, NO_EDIT } from './bulk-edit.ts'

// Safe because the functions read these fields alone.
const channel = { priority: 1, weight: 2, tag: 'eu', group: 'default', models: 'a,b' } as Channel

test('an edit changes what it names, and nothing that is so already', () => {
  expect(changesOf(channel, NO_EDIT)).toBeNull()
  expect(changesOf(channel, { ...NO_EDIT, priority: '1', weight: '5' })).toEqual({ weight: 5 })
})

test('a tag is set or removed only if that was chosen', () => {
  expect(changesOf(channel, { ...NO_EDIT, tag: ' us ' })).toEqual({ tag: 'us' })
  expect(changesOf(channel, { ...NO_EDIT, tag: '' })).toEqual({ tag: '' })
  expect(changesOf(channel, { ...NO_EDIT, tag: 'eu' })).toBeNull()
})

test('a model mapping is replaced or removed only if that was chosen, and must be JSON', () => {
  const mapped = { ...channel, model_mapping: '{"a":"b"}' }
  expect(changesOf(mapped, { ...NO_EDIT, mapping: ' {"a":"c"} ' })).toEqual({
    model_mapping: '{"a":"c"}',
  })
  expect(changesOf(mapped, { ...NO_EDIT, mapping: '' })).toEqual({ model_mapping: '' })
  expect(changesOf(mapped, { ...NO_EDIT, mapping: '{"a":"b"}' })).toBeNull()
  expect([null, '', '{"a":"b"}'].map(isMapping)).toEqual([true, true, true])
  expect(['{', '[]', '{"a":1}'].map(isMapping)).toEqual([false, false, false])
})

test('models and groups are added once and removed by name', () => {
  const edit = { ...NO_EDIT, addModels: 'c, a', removeModels: 'b', addGroups: 'vip' }
  expect(changesOf(channel, edit)).toEqual({ models: 'a,c', group: 'default,vip' })
})

test('lists may have the commas of Chinese keyboards', () => {
  const edit = { ...NO_EDIT, addModels: 'c，d、e；f', removeModels: 'a，b' }
  expect(changesOf(channel, edit)).toEqual({ models: 'c,d,e,f' })
})

test('a channel that would have no model or group is found', () => {
  expect(emptied([channel], { ...NO_EDIT, removeModels: 'a' })).toEqual([])
  expect(emptied([channel], { ...NO_EDIT, removeModels: 'a,b' })).toEqual([channel])
  expect(emptied([channel], { ...NO_EDIT, removeGroups: 'default' })).toEqual([channel])
})

test('a priority or weight is a whole number', () => {
  expect(['', '7', '-3'].map(isNumber)).toEqual([true, true, true])
  expect(['1.5', 'x', '12345678'].map(isNumber)).toEqual([false, false, false])
})
