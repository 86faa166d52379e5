import type { TestProject } from 'vitest/node'
import { launchBrowserServer } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    browserAddress: string
  }
}

/** One Chromium for all files; each test opens a context of its own in it. */
export async function setup(project: TestProject) {
  const browser = await launchBrowserServer()
  project.provide('browserAddress', browser.wsEndpoint())
  return () => browser.close()
}
