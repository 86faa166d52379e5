import { expect, test } from 'vitest'
import { createLog } from './log.ts'

function lineOf(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('info', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

test('an error is told with its cause, but not with the row a database adds', () => {
  const cause = Object.assign(new Error('not null'), { code: '23502', detail: 'row (1, secret)' })
  const line = lineOf((log) => log.error({ error: new Error('outer', { cause }) }, 'failed'))
  for (const text of ['outer', 'not null', '23502', 'log.test.ts']) expect(line).toContain(text)
  expect(line).not.toContain('secret')
})

test('what is thrown and is no error is told as text', () => {
  expect(lineOf((log) => log.warn({ error: 'plain' }, 'failed'))).toContain('plain')
})

test('keys and passwords are left out', () => {
  const line = lineOf((log) => log.info({ channel: { key: 'sk-1' }, user: { password: 'pw-1' } }))
  expect(line).not.toMatch(/sk-1|pw-1/)
})
