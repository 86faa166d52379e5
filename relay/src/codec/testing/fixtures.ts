import { readFileSync } from 'node:fs'

/**
 * Reads files of the `__fixtures__` folder next to a test: bodies and streams in a provider's
 * format.
 */
export const fixturesBeside =
  (testUrl: string) =>
  (name: string): string =>
    readFileSync(new URL(`__fixtures__/${name}`, testUrl), 'utf8')
