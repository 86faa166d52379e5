import { beforeEach, expect, test, vi } from 'vitest'
import {
  currentLocation,
  guardLeaving,
  isBackOrForward,
  navigate,
  startHistory,
} from './history.ts'

type Stored = { path: string; state: unknown }

/** A browser's history whose steps take effect at once. */
function fakeBrowser(start: string) {
  const entries: Stored[] = [{ path: start, state: null }]
  let at = 0
  let onStep: (event: { state: unknown }) => void = () => undefined
  const go = (by: number) => {
    at += by
    queueMicrotask(() => onStep({ state: entries[at]?.state }))
  }
  const url = () => new URL(entries[at]?.path ?? '', 'https://console.test')
  vi.stubGlobal('window', {
    get location() {
      return url()
    },
    addEventListener: (_: string, listener: typeof onStep) => (onStep = listener),
  })
  vi.stubGlobal('history', {
    get state() {
      return entries[at]?.state
    },
    go,
    pushState: (state: unknown, _: string, path: string) => {
      entries.splice(++at, Infinity, { state, path })
    },
    replaceState: (state: unknown, _: string, path = entries[at]?.path ?? '') => {
      entries[at] = { state, path }
    },
  })
  startHistory()
  const paths = () => entries.map(({ path }) => path)
  return { go, paths, url: () => url().pathname, jump: (path: string) => jump(path) }

  function jump(path: string) {
    entries.splice(++at, Infinity, { state: null, path })
    onStep({ state: null })
  }
}

beforeEach(() => void vi.unstubAllGlobals())

const settled = () => new Promise((resolve) => setTimeout(resolve))

test('goes to a path or a query, and back', async () => {
  const browser = fakeBrowser('/log?p=2')
  expect(currentLocation()).toMatchObject({ pathname: '/log', search: '?p=2', state: null })
  await navigate('/user', { state: { from: 'log' } })
  expect(currentLocation()).toMatchObject({ pathname: '/user', state: { from: 'log' } })
  expect(isBackOrForward()).toBe(false)
  await navigate('?sort=id', { replace: true })
  expect(browser.paths()).toEqual(['/log?p=2', '/user?sort=id'])
  browser.go(-1)
  await settled()
  expect(currentLocation()).toMatchObject({ pathname: '/log', search: '?p=2' })
  expect(isBackOrForward()).toBe(true)
})

test('a guard holds every way to leave until its answer', async () => {
  const browser = fakeBrowser('/log')
  await navigate('/user/edit/1')
  let answer = false
  const asked: string[] = []
  const release = guardLeaving(({ pathname }) => {
    asked.push(pathname)
    return Promise.resolve(answer)
  })
  await navigate('/token')
  browser.go(-1)
  await settled()
  expect(currentLocation().pathname).toBe('/user/edit/1')
  expect(browser.url()).toBe('/user/edit/1')
  answer = true
  browser.go(-1)
  await settled()
  expect(currentLocation().pathname).toBe('/log')
  expect(browser.url()).toBe('/log')
  expect(asked).toEqual(['/token', '/log', '/log'])
  release()
  await navigate('/token')
  expect(currentLocation().pathname).toBe('/token')
})

test('a link within the page, which the browser follows itself, can be undone', async () => {
  const browser = fakeBrowser('/setting')
  browser.jump('/setting#mail')
  expect(currentLocation()).toMatchObject({ pathname: '/setting', hash: '#mail' })
  guardLeaving(() => Promise.resolve(false))
  browser.go(-1)
  await settled()
  expect(browser.url() + currentLocation().hash).toBe('/setting#mail')
})
