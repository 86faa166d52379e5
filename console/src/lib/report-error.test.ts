import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { commonMessages } from '../i18n/messages.ts'
import { addTexts } from '../i18n/texts.ts'
import { CallError } from './call.ts'
import { Cancelled } from './cancelled.ts'
import { errorText, reportError } from './report-error.ts'

const told = vi.hoisted((): string[] => [])
/** Browser console output. */
const written: unknown[] = []

vi.mock('./toast.ts', () => ({
  showError: (text: string) => told.push(`error: ${text}`),
  showInfo: (text: string) => told.push(`info: ${text}`),
}))

beforeAll(() => {
  addTexts('common', commonMessages)
})

beforeEach(() => {
  told.length = 0
  written.length = 0
  vi.spyOn(console, 'error').mockImplementation((error) => void written.push(error))
})

const http = (status: number, message = 'no teapot') =>
  new CallError({ kind: 'http', status, message })

function report(error: unknown) {
  const signedOut = vi.fn<() => void>()
  reportError(error, { onSignedOut: signedOut })
  expect(written.at(-1)).toBe(error)
  return signedOut
}

test('401 leads to the login without a toast', () => {
  expect(report(http(401))).toHaveBeenCalledOnce()
  expect(told).toEqual([])
})

test('each HTTP status has its message, and 405 is not reported', () => {
  for (const status of [429, 500, 405, 418]) expect(report(http(status))).not.toHaveBeenCalled()
  expect(told).toEqual([
    'error: Too many requests, please try again later.',
    'error: Internal server error, please contact the administrator.',
    'info: This site is for demonstration only and has no server side.',
    'error: Error: no teapot',
  ])
})

test('a cancelled action is not reported, and a missing second factor without a toast', () => {
  reportError(new Cancelled(), { onSignedOut: () => {} })
  expect(written).toEqual([])
  report(new CallError({ kind: 'refused', message: 'set up', code: 'second_factor_needed' }))
  expect(told).toEqual([])
})

test('any other error is shown with the prefix: its message, or the raw value', () => {
  expect(errorText(new Error('no network'))).toBe('Error: no network')
  expect(errorText('just a text')).toBe('Error: just a text')
  expect(errorText(42)).toBe('Error: 42')
  const silent = new TypeError('x')
  silent.message = ''
  expect(errorText(silent)).toBe('Error: TypeError')
})
