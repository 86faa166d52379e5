import { expect, test } from 'vitest'
import { matchRoute } from '../lib/router/match.ts'
import { features } from './features.ts'
import { OLD_PATHS, pathNow } from './old-paths.ts'

const pages = features.flatMap((feature) => feature.pages)

test('old paths lead to pages, and are no pages themselves', () => {
  for (const [path, old] of Object.entries(OLD_PATHS)) {
    expect(pages.map((page) => page.path)).toContain(path)
    for (const one of old) expect(matchRoute(pages, one)).toBeUndefined()
  }
})

test.each([
  ['/console/token', '/token'],
  ['/Console/Token/', '/token'],
  ['/sign-up', '/register'],
  ['/console/tokens', null],
  ['/', null],
])('%s is now %s', (old, path) => {
  expect(pathNow(old)).toBe(path)
})
