import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './install.mjs'

const NAMED_TEST = /`([^`]+\.(?:test|e2e)\.(?:tsx?|mjs))`: \*([^*]+)\*/g

/** The rows of the tables of a page that say something, without their headings. */
export const rowsOf = (page, isHeading) =>
  page.split('\n').filter((line) => /^\| (?!---)/.test(line) && !isHeading(line))

export const namesTest = (line) => [...line.matchAll(NAMED_TEST)].length > 0

/** What a line of a page says of tests that are not there; their paths are within the folder. */
export function findLost(line, folder = '') {
  return [...line.matchAll(NAMED_TEST)].flatMap(([, file, name]) =>
    whyLost(path.join(folder, file), `'${name}'`, `"${name}"`),
  )
}

/** Nothing when the file is there and has the text. */
export function whyLost(file, text, shown = text) {
  const full = path.join(ROOT, file)
  if (!existsSync(full)) return [`${file} is gone`]
  return readFileSync(full, 'utf8').includes(text) ? [] : [`${file} has no ${shown}`]
}
