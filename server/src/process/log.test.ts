import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'

afterEach(() => {
  vi.useRealTimers()
})

function lineOf(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('info', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

test('an error is logged with its cause, but without the row that a database adds', () => {
  const cause = Object.assign(new Error('not null'), { code: '23502', detail: 'row (1, secret)' })
  const line = lineOf((log) => log.error({ error: new Error('outer', { cause }) }, 'failed'))
  for (const text of ['outer', 'not null', '23502', 'log.test.ts']) expect(line).toContain(text)
  expect(line).not.toContain('secret')
})

test('a thrown value that is not an error is logged as text', () => {
  expect(lineOf((log) => log.warn({ error: 'plain' }, 'failed'))).toContain('plain')
})

test('keys and passwords are left out', () => {
  const headers = { authorization: 'Bearer sk-2', cookie: 'session=s-1', accept: 'shown' }
  const line = lineOf((log) =>
    log.info({ channel: { key: 'sk-1' }, user: { password: 'pw-1' }, request: { headers } }),
  )
  expect(line).not.toMatch(/sk-1|pw-1|sk-2|s-1/)
  expect(line).toContain('shown')
})

test('a failure of every request is logged some times, and then counted', () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const burst = (count: number) => {
    for (let n = 0; n < count; n++) log.error({ error: away, request: n }, 'no database')
  }
  burst(1000)
  expect(lines).toHaveLength(20)
  log.error({ error: new Error('another') }, 'no database')
  for (let n = 0; n < 30; n++) log.info({ channel: n }, 'tested')
  expect(lines).toHaveLength(51)
  vi.advanceTimersByTime(10_000)
  expect(lines).toHaveLength(52)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    failure: 'no database: ECONNREFUSED',
    left_out: 980,
  })
  burst(1)
  expect(lines).toHaveLength(53)
})
