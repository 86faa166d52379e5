import { afterEach, expect, test, vi } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { readTask } from './read-task.ts'

afterEach(() => vi.restoreAllMocks())

test.each([
  ['speech', { model: 'tts-1', voice: 'alloy' }, 'input', 'text_too_long'],
  ['images', { model: 'dall-e-2' }, 'prompt', 'prompt_too_long'],
] as const)(
  '%s: the characters of a text far beyond the limit are not counted',
  (endpoint, asked, param, code) => {
    const body = Buffer.from(JSON.stringify({ ...asked, [param]: 'a'.repeat(100_000) }))
    const walk = vi.spyOn(String.prototype, Symbol.iterator)
    expect(finish(readTask(endpoint, body, 'application/json'))).toMatchObject({ param, code })
    expect(walk.mock.contexts.some((text) => String(text).length > 50_000)).toBe(false)
  },
)
