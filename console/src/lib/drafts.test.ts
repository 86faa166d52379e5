import { expect, test } from 'vitest'
import { changesOf, keepDraft, takeDraft } from './drafts.ts'

test('a draft is restored once, in its place, and only for its owner', () => {
  keepDraft({ owner: 1, place: '/token/add name', values: { name: 'laptop' } })
  keepDraft({ owner: 1, place: '/token/add name', values: {} })
  expect(takeDraft(1, '/token/add other')).toBeUndefined()
  expect(takeDraft(1, '/token/add name')).toEqual({ name: 'laptop' })
  expect(takeDraft(1, '/token/add name')).toBeUndefined()

  keepDraft({ owner: 1, place: '/a', values: { password: 'secret' } })
  expect(takeDraft(undefined, '/reset email')).toBeUndefined()
  expect(takeDraft(1, '/a')).toEqual({ password: 'secret' })

  keepDraft({ owner: 1, place: '/a', values: { password: 'secret' } })
  expect(takeDraft(2, '/a')).toBeUndefined()
  expect(takeDraft(1, '/a')).toBeUndefined()
})

test('only changed values are kept, so that newer values are not overwritten', () => {
  const initial = { name: 'a', models: ['x'], quota: 5 }
  expect(changesOf({ name: 'a', models: ['x', 'y'], quota: 5 }, initial)).toEqual({
    models: ['x', 'y'],
  })
})
