import { defineConfig } from 'vitest/config'
import { useCompileCache } from '../server/testing/compile-cache.ts'

useCompileCache()

export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    // Each file has a server of its own. A page waits for it half of the time, so that a third keeps two cores at work.
    maxWorkers: 3,
    maxConcurrency: 3,
    // A shared machine may stand still for longer than a step waits; what is wrong fails twice.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As long as an action on a page may take: on a busy machine code comes late.
    expect: { poll: { timeout: 15_000 } },
  },
})
