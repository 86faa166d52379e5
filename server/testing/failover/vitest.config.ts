import { defineConfig } from 'vitest/config'

/** All scenarios at once, in the times of the bench; no database server is needed. */
export default defineConfig({
  test: {
    include: ['server/src/gateway/scenarios/scenarios.test.ts'],
    maxConcurrency: 32,
    chaiConfig: { truncateThreshold: 0 },
    env: { FAILOVER_SCALE: '1' },
  },
})
