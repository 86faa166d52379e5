import { readFileSync } from 'node:fs'

export const fixturesBeside =
  (testUrl: string) =>
  (name: string): string =>
    readFileSync(new URL(`__fixtures__/${name}`, testUrl), 'utf8')
