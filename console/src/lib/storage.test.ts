import { afterEach, expect, test, vi } from 'vitest'
import {
  getStored,
  getStoredJson,
  onStored,
  setPrompted,
  setStored,
  setStoredJson,
} from './storage.ts'

function browserStorage() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

afterEach(() => vi.unstubAllGlobals())

test('stores texts and JSON, and null removes', () => {
  vi.stubGlobal('localStorage', browserStorage())
  setStoredJson('user', { id: 1 })
  expect(getStoredJson('user')).toEqual({ id: 1 })
  setStored('user', null)
  expect(getStored('user')).toBeNull()
  expect(getStoredJson('user')).toBeUndefined()
})

test('broken JSON reads as nothing', () => {
  vi.stubGlobal('localStorage', browserStorage())
  setStored('status', '{')
  expect(getStoredJson('status')).toBeUndefined()
})

const refuse = () => {
  throw new DOMException('denied', 'SecurityError')
}

test('a value the browser refuses to store is kept until the page is left', () => {
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  expect(getStored('aff')).toBeNull()
  setStored('aff', 'friend')
  expect(getStored('aff')).toBe('friend')
  setStored('aff', null)
  expect(getStored('aff')).toBeNull()
})

test('a full storage keeps no outdated value for the next visit', () => {
  const storage = browserStorage()
  vi.stubGlobal('localStorage', storage)
  setStored('user', 'alice')
  vi.stubGlobal('localStorage', { ...storage, setItem: refuse })
  setStored('user', 'bob')
  expect(getStored('user')).toBe('bob')
  expect(storage.getItem('user')).toBeNull()
  setStored('user', null)
})

test('a full storage keeps the smaller value, if there is one', () => {
  const storage = browserStorage()
  const refuseLong = (key: string, value: string) =>
    value.length > 10 ? refuse() : storage.setItem(key, value)
  vi.stubGlobal('localStorage', { ...storage, setItem: refuseLong })
  setStoredJson('play-1', ['many', 'words'], () => ['few'])
  expect(getStoredJson('play-1')).toEqual(['many', 'words'])
  expect(storage.getItem('play-1')).toBe('["few"]')
  setStored('play-1', null)
})

test('stores under prompt-{identifier} what was shown', () => {
  vi.stubGlobal('localStorage', browserStorage())
  expect(getStored('prompt-x')).toBeNull()
  setPrompted('x')
  expect(getStored('prompt-x')).toBe('true')
})

test('notifies listeners of their key only, until they stop', () => {
  vi.stubGlobal('localStorage', browserStorage())
  let count = 0
  const stop = onStored('theme', () => (count += 1))
  setStored('theme', 'dark')
  setStored('density', 'compact')
  stop()
  setStored('theme', 'light')
  expect(count).toBe(1)
})
