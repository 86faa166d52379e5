import { defineConfig } from 'vitest/config'
import { useCompileCache } from './server/testing/harness/compile-cache.ts'

useCompileCache()

export default defineConfig({
  test: {
    include: [
      '{contract,relay,server,console}/src/**/*.test.{ts,tsx}',
      '{relay,server}/testing/**/*.test.ts',
      'tools/**/*.test.mjs',
    ],
    // Tests mostly wait for databases and processes, so three files at a time keep two cores busy.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Shared machines stand still at times. The report names what passed only the second time.
    retry: process.env['CI'] === undefined ? 0 : 1,
    globalSetup: ['server/testing/harness/global-setup.ts'],
  },
})
