import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { useCompileCache } from './server/testing/harness/compile-cache.ts'
import { startFirst } from './server/testing/harness/start-first.ts'
import { V8_FLAGS } from './server/testing/harness/v8-flags.ts'

useCompileCache()

const CONSOLE_TESTS = ['console/src/**/*.test.{ts,tsx}']

const TESTS = [
  '{contract,relay,server}/src/**/*.test.ts',
  '{relay,server}/testing/**/*.test.ts',
  'tools/**/*.test.mjs',
]

/** A replaced module stays replaced for every later file of its process. */
const REPLACE_MODULES = globSync([...TESTS, ...CONSOLE_TESTS]).filter((file) =>
  readFileSync(file, 'utf8').includes('vi.mock('),
)

const COMMON = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Shared machines stand still at times. The report names what passed only the second time.
  retry: process.env['CI'] === undefined ? 0 : 1,
  // Tests mostly wait for databases and processes, so three files at a time keep two cores busy.
  maxWorkers: 3,
  execArgv: V8_FLAGS,
}

/** Suites that start processes, or run every fixture of the relay. */
const LONG = [
  'tools/release/',
  'relay/testing/',
  'server/testing/',
  'scenarios/every-type',
  'ledger/attacks',
]

export default defineConfig({
  test: {
    sequence: { sequencer: startFirst(LONG) },
    globalSetup: ['server/testing/harness/global-setup.ts'],
    projects: [
      // Each process runs many files, so that it loads and optimizes the sources once. Node.js
      // loads them itself: Vite's module runner takes a sixth more CPU time.
      {
        test: {
          ...COMMON,
          name: 'node',
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          include: TESTS,
          exclude: [...REPLACE_MODULES, '**/node_modules/**'],
        },
      },
      {
        test: {
          ...COMMON,
          name: 'console',
          isolate: false,
          include: CONSOLE_TESTS,
          exclude: [...REPLACE_MODULES, '**/node_modules/**'],
        },
      },
      { test: { ...COMMON, name: 'isolated', include: REPLACE_MODULES } },
    ],
  },
})
