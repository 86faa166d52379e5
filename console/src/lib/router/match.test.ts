import { expect, test } from 'vitest'
import { matchRoute } from './match.ts'

const routes = ['/', '*', '/user/:id', '/user/add', '/user/edit/:id'].map((path) => ({ path }))

test.each([
  ['/', '/', {}],
  ['/user/add', '/user/add', {}],
  ['/User/Add/', '/user/add', {}],
  ['/user/7', '/user/:id', { id: '7' }],
  ['/user/edit/a%20b', '/user/edit/:id', { id: 'a b' }],
  ['/user/edit/%E0%A4', '/user/edit/:id', { id: '%E0%A4' }],
  ['/user', '*', {}],
  ['/user/edit/7/more', '*', {}],
])('%s is the page %s', (pathname, path, params) => {
  expect(matchRoute(routes, pathname)).toEqual({ route: { path }, params })
})

test('without a page for every address, an unknown address has none', () => {
  expect(matchRoute([{ path: '/' }], '/nowhere')).toBeUndefined()
})
