import { readFileSync } from 'node:fs'

/** Reads the files of the `__fixtures__` folder beside a test: bodies and streams in a provider's words. */
export const fixturesBeside =
  (testUrl: string) =>
  (name: string): string =>
    readFileSync(new URL(`__fixtures__/${name}`, testUrl), 'utf8')
