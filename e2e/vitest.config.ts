import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { useCompileCache } from '../server/testing/harness/compile-cache.ts'
import { startFirst } from '../server/testing/harness/start-first.ts'
import { V8_FLAGS } from '../server/testing/harness/v8-flags.ts'

useCompileCache()

/** Each opens every page. */
const LONG = [
  'requests',
  'every-page',
  'bad-answers',
  'hostile-texts',
  'refused-fields',
  'unusual-browsers',
]

export default defineConfig({
  test: {
    globalSetup: [path.join(import.meta.dirname, 'global-setup.ts')],
    sequence: { sequencer: startFirst(LONG) },
    include: ['e2e/**/*.e2e.ts'],
    // Each file has its own server, each worker its own browser. A page waits for the server half
    // of the time, so three workers keep two cores busy.
    isolate: false,
    maxWorkers: 3,
    execArgv: V8_FLAGS,
    maxConcurrency: 3,
    // A shared machine may stall for longer than a step waits. A real error fails twice.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The same as the limit of a page action: on a busy machine, scripts load late.
    expect: { poll: { timeout: 15_000 } },
  },
})
