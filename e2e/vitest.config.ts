import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    globalSetup: [fileURLToPath(new URL('one-browser.ts', import.meta.url))],
    fileParallelism: false,
    maxConcurrency: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As long as an action on a page may take: on a busy machine code comes late.
    expect: { poll: { timeout: 15_000 } },
  },
})
