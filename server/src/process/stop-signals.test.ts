import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { StopSignals } from './stop-signals.ts'

const before = {
  SIGTERM: process.listeners('SIGTERM'),
  SIGINT: process.listeners('SIGINT'),
}

afterEach(() => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    for (const listener of process.listeners(signal)) {
      if (!before[signal].includes(listener)) process.off(signal, listener)
    }
  }
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a %s that arrives while the action is being replaced runs the new action',
  async (signal) => {
    const signals = new StopSignals()
    const done: string[] = []
    signals.listen(() => done.push('early'))
    const arrived = once(process, signal)
    process.kill(process.pid, signal)
    signals.listen(() => done.push('in order'))
    await arrived
    expect(done).toEqual(['in order'])
  },
)
