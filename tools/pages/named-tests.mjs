import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/install.mjs'

const NAMED_TEST = /`([^`]+\.(?:test|e2e)\.(?:tsx?|mjs))`: \*([^*]+)\*/g

/** The table rows of a page, without headings and separators. */
export const rowsOf = (page, isHeading) =>
  page.split('\n').filter((line) => /^\| (?!---)/.test(line) && !isHeading(line))

export const namesTest = (line) => [...line.matchAll(NAMED_TEST)].length > 0

/** Missing tests that a line of a page names; their paths are relative to the folder. */
export function findLost(line, folder = '') {
  return [...line.matchAll(NAMED_TEST)].flatMap(([, file, name]) =>
    whyLost(path.join(folder, file), `'${name}'`, `"${name}"`),
  )
}

/** Empty if the file exists and contains the text. */
export function whyLost(file, text, shown = text) {
  const full = path.join(ROOT, file)
  if (!existsSync(full)) return [`${file} is gone`]
  return readFileSync(full, 'utf8').includes(text) ? [] : [`${file} has no ${shown}`]
}
