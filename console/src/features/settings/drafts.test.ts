import { describe, expect, test } from 'vitest'
import { optionKeys, OPTIONS, optionText } from '@tollgate/contract'
import { changedDestinations, changesOf, draftOf, findProblem, missingNeeds } from './drafts.ts'

test('an untouched draft of any option is valid and changes nothing', () => {
  for (const key of optionKeys) {
    const draft = draftOf(key, optionText(OPTIONS[key].default))
    expect(findProblem(key, draft, 'en')).toBeNull()
    expect(changesOf({ [key]: draft }, { [key]: draft })).toEqual([])
  }
})

test('only changed values are sent, in the form the server stores', () => {
  const stored = { ServerAddress: 'https://gate.example', RetryTimes: '3', ChatLink: '' }
  const drafts = { ServerAddress: 'https://gate.example/', RetryTimes: '4', ChatLink: ' ' }
  expect(changesOf(drafts, stored)).toEqual([{ key: 'RetryTimes', value: '4' }])
  expect(changesOf({ ChatLink: 'https://chat.example/ ' }, stored)).toEqual([
    { key: 'ChatLink', value: 'https://chat.example' },
  ])
})

test('a table that is only formatted differently is unchanged', () => {
  const stored = { GroupRatio: draftOf('GroupRatio', '{"default":1}') }
  expect(stored.GroupRatio).toBe('{\n  "default": 1\n}')
  expect(changesOf({ GroupRatio: '{"default": 1.0}' }, stored)).toEqual([])
})

test('an optional empty number is sent as empty', () => {
  expect(draftOf('DefaultModelRatio', 'null')).toBe('')
  expect(changesOf({ DefaultModelRatio: '' }, { DefaultModelRatio: '30' })).toEqual([
    { key: 'DefaultModelRatio', value: 'null' },
  ])
})

test('an empty secret is unchanged, a space clears it, and it is sent before its server', () => {
  expect(changesOf({ SMTPToken: '' }, { SMTPToken: '' })).toEqual([])
  expect(changesOf({ SMTPToken: ' ' }, { SMTPToken: '' })).toEqual([
    { key: 'SMTPToken', value: ' ' },
  ])
  const drafts = { SMTPServer: 'mail.example', SMTPToken: 'pass' }
  const stored = { SMTPServer: 'old.example', SMTPToken: '' }
  expect(changesOf(drafts, stored).map(({ key }) => key)).toEqual(['SMTPToken', 'SMTPServer'])
  expect(changedDestinations('SMTPToken', drafts, stored)).toEqual(['SMTPServer'])
  expect(changedDestinations('SMTPToken', stored, stored)).toEqual([])
})

describe('an error has a message and a place', () => {
  test('in JSON', () => {
    expect(findProblem('ModelRatio', '{"a": 1,}', 'en')).toEqual({
      kind: 'json',
      problem: { kind: 'syntax', name: '', line: 1, column: 9 },
    })
  })

  test("in a value, in the reader's language", () => {
    expect(findProblem('RetryTimes', '-1', 'zh')).toEqual({
      kind: 'value',
      field: '',
      problem: '不能小于 0',
    })
    expect(findProblem('GroupRatio', '{"vip": -1}', 'en')).toMatchObject({ field: 'vip' })
    expect(findProblem('ModelRatio', '{"a": 0.123456789}', 'en')).toBeNull()
    expect(findProblem('ModelRatio', '{"a": 0.1234567891}', 'en')).toMatchObject({
      field: 'a',
      problem: 'must have at most 9 decimals',
    })
    expect(findProblem('GroupRatio', '{"vip": 1e-10}', 'zh')).toMatchObject({
      field: 'vip',
      problem: '最多 9 位小数',
    })
    expect(findProblem('DefaultModelRatio', String(0.1 + 0.2), 'en')).toBeNull()
    expect(findProblem('ServerAddress', 'gate', 'en')).toMatchObject({ kind: 'value' })
    expect(findProblem('RetryTimes', '', 'en')).not.toBeNull()
  })
})

test('a switch names its missing requirements, for the closest of several ways', () => {
  const stored = { OidcClientId: '', OidcWellKnown: '', OidcTokenEndpoint: '' }
  expect(missingNeeds('OidcEnabled', stored)).toEqual(['OidcClientId', 'OidcWellKnown'])
  expect(missingNeeds('OidcEnabled', { ...stored, OidcClientId: 'x' })).toEqual(['OidcWellKnown'])
  expect(missingNeeds('PasswordLoginEnabled', stored)).toEqual([])
})
