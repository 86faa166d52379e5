import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../clock.ts'
import { Deadlines } from '../../deadlines.ts'
import type { AttemptDeps } from './attempt.ts'
import { beginAttempt } from './begin-attempt.ts'

test('an outcome that fails and that nobody awaits ends nothing', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const client = { disconnected: false, onDrainTimeout: () => {}, offDrainTimeout: () => {} }
  const encode = async () => {
    await pause(1)
    throw new TypeError('a bug')
  }
  const deadlines = new Deadlines(systemClock)
  // Safe because encoding fails before anything else is used.
  const deps = { client, clock: systemClock, deadlines } as unknown as AttemptDeps
  const { outcome } = beginAttempt(deps, {} as Parameters<typeof beginAttempt>[1], encode)
  await pause(20)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
  await expect(outcome).rejects.toThrow('a bug')
})
