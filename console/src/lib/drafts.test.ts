import { expect, test } from 'vitest'
import { changesOf, keepDraft, takeDraft } from './drafts.ts'

test('a draft comes back once, in its place, and only to its owner', () => {
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

test('only what was changed is kept, so that a newer value elsewhere is not undone', () => {
  const initial = { name: 'a', models: ['x'], quota: 5 }
  expect(changesOf({ name: 'a', models: ['x', 'y'], quota: 5 }, initial)).toEqual({
    models: ['x', 'y'],
  })
})
