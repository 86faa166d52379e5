import { defineConfig } from 'vitest/config'

/** Runs all scenarios at once with the benchmark's real times. No database server is needed. */
export default defineConfig({
  test: {
    include: ['server/src/gateway/scenarios/scenarios.test.ts'],
    maxConcurrency: 32,
    chaiConfig: { truncateThreshold: 0 },
    env: { FAILOVER_SCALE: '1' },
  },
})
