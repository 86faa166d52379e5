import { expect, test } from 'vitest'
import { targetAfterLogin } from './target-after-login.ts'

const user = { username: 'alice', password: 'correct horse' }

test('returns the user to the previous page, with its query', () => {
  const state = { from: { pathname: '/log', search: '?p=2', hash: '', key: 'x' } }
  expect(targetAfterLogin(user, state)).toEqual({ to: '/log?p=2', isDefaultPassword: false })
})

test('leads to the tokens if nothing valid is stored', () => {
  for (const state of [null, undefined, {}, { from: 'x' }, { from: { pathname: 'https://x' } }]) {
    expect(targetAfterLogin(user, state).to).toBe('/token')
  }
})

test('sends the default account to the password form wherever it came from', () => {
  const pair = { username: 'root', password: '123456' }
  const state = { from: { pathname: '/log' } }
  expect(targetAfterLogin(pair, state)).toEqual({ to: '/user/edit', isDefaultPassword: true })
  expect(targetAfterLogin({ ...pair, password: '1234567' }, state).to).toBe('/log')
})
