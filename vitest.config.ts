import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { useCompileCache } from './server/testing/harness/compile-cache.ts'

useCompileCache()

const TESTS = [
  '{contract,relay,server,console}/src/**/*.test.{ts,tsx}',
  '{relay,server}/testing/**/*.test.ts',
  'tools/**/*.test.mjs',
]

/** A replaced module stays replaced for every later file of its process. */
const REPLACE_MODULES = globSync(TESTS).filter((file) =>
  readFileSync(file, 'utf8').includes('vi.mock('),
)

const COMMON = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Shared machines stand still at times. The report names what passed only the second time.
  retry: process.env['CI'] === undefined ? 0 : 1,
  // Tests mostly wait for databases and processes, so three files at a time keep two cores busy.
  maxWorkers: 3,
}

export default defineConfig({
  test: {
    globalSetup: ['server/testing/harness/global-setup.ts'],
    projects: [
      // Each process runs many files, so that it loads and optimizes the sources once.
      {
        test: {
          ...COMMON,
          name: 'shared',
          isolate: false,
          include: TESTS,
          exclude: [...REPLACE_MODULES, '**/node_modules/**'],
        },
      },
      { test: { ...COMMON, name: 'isolated', include: REPLACE_MODULES } },
    ],
  },
})
