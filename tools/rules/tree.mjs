import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { findImportCycles } from './import-cycles.mjs'
import { findPoorProse } from './prose-files.mjs'
import { findMissingPaths } from './quoted-paths.mjs'

const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'data', 'coverage', '.cache', 'results'])
const CODE = /\.(?:ts|tsx|mjs|css)$/
const TEXT = /\.(?:ts|tsx|mjs|js|json|css|html|md|c|h|sh|yml|yaml|txt)$|\/run$|\.npmrc$/
const TEST = /\.(?:test|e2e)\.(?:ts|tsx|mjs)$/
const LINES_MAX = 400
const BANNED_WORDS = new RegExp(
  `\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`,
)
const LEFT_OUT_TEST = /\b(?:describe|suite|test|it)\.(?:only|skip|skipIf|todo|fails)\b/
const REGISTRY_HOST =
  /\/\/[^/\s"'`]*(?:registry|artifactory|nexus|verdaccio|npmmirror|pypi)[^/\s"'`]*\./i
/** Lines that an unfinished merge leaves. */
const CONFLICT = /^(?:<{7} HEAD$|>{7} [0-9a-f]{7,40} )/
/** Chinese texts quote with “ and ”, as mainland China does. */
const CORNER_QUOTES = /[\u300c-\u300f]/
const PLACEHOLDER = /\{\w+\}/g

/** Every rule about files rather than syntax; each answers with one line per violation. */
export const TREE_RULES = [
  findUntidyCode,
  findRegistryHosts,
  findConflicts,
  findMissingFixtures,
  findMissingTexts,
  findImportCycles,
  findPoorProse,
  findMissingPaths,
]

export function listFiles(root, folder = '') {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : listFiles(root, file)
    return entry.isFile() ? [file] : []
  })
}

function findUntidyCode({ root, files }) {
  return files
    .filter((file) => CODE.test(file) && !file.includes('/__fixtures__/'))
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n')
      const tooLong =
        lines.length > LINES_MAX ? [`${file}: ${lines.length} lines, at most ${LINES_MAX}`] : []
      const marked = linesWith(file, lines, BANNED_WORDS, 'a leftover marker')
      const leftOut = TEST.test(file)
        ? linesWith(file, lines, LEFT_OUT_TEST, 'a test left out')
        : []
      const quotes = linesWith(file, lines, CORNER_QUOTES, 'quotes other than “ and ”')
      return [...tooLong, ...marked, ...leftOut, ...quotes]
    })
}

function findRegistryHosts({ root, files }) {
  return files
    .filter((file) => TEXT.test(file))
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
      const downloads =
        path.basename(file) === 'package-lock.json'
          ? linesWith(file, lines, /"resolved": "(?:https?|git)/, 'a download address')
          : []
      return [...linesWith(file, lines, REGISTRY_HOST, 'a package registry'), ...downloads]
    })
}

function findConflicts({ root, files }) {
  return files
    .filter((file) => TEXT.test(file))
    .flatMap((file) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
      return linesWith(file, lines, CONFLICT, 'an unfinished merge')
    })
}

function linesWith(file, lines, pattern, what) {
  return lines.flatMap((line, index) =>
    pattern.test(line) ? [`${file}:${index + 1}: ${what}`] : [],
  )
}

/**
 * A provider with its own codec must have fixtures of the bodies that the codec was written for.
 */
function findMissingFixtures({ root, files }) {
  return files
    .filter((file) => /^relay\/src\/providers\/[^/]+\/codec\.ts$/.test(file))
    .map((file) => path.posix.dirname(file))
    .filter((folder) => !speaksOpenAi(path.join(root, folder, 'descriptor.ts')))
    .filter((folder) => !files.includes(`${folder}/__fixtures__/about.json`))
    .map((folder) => `${folder}: a codec without __fixtures__/about.json`)
}

function speaksOpenAi(descriptor) {
  return existsSync(descriptor) && /\bdialect: 'openai'/.test(readFileSync(descriptor, 'utf8'))
}

async function findMissingTexts({ root }) {
  const load = (file) => import(pathToFileURL(path.join(root, 'contract/src', file)).href)
  const { ERRORS } = await load('errors.ts')
  const { OPTIONS } = await load('options.ts')
  const { OPTION_SECTIONS } = await load('option-sections.ts')
  const texts = [
    ...Object.entries(ERRORS).map(([code, row]) => [`error ${code}`, row]),
    ...Object.entries(OPTIONS).flatMap(([key, row]) => [
      [`option ${key}`, row.label],
      ...(row.hint ? [[`hint of ${key}`, row.hint]] : []),
    ]),
    ...Object.entries(OPTION_SECTIONS).flatMap(([id, row]) => [
      [`section ${id}`, row.title],
      ...(row.hint ? [[`hint of section ${id}`, row.hint]] : []),
    ]),
  ]
  return texts.flatMap(([name, row]) => textProblems(name, row))
}

function textProblems(name, texts) {
  const missing = ['en', 'zh'].filter((language) => !texts?.[language]?.trim())
  if (missing.length > 0) return missing.map((language) => `${name}: no text in ${language}`)
  return placeholdersOf(texts.en) === placeholdersOf(texts.zh)
    ? []
    : [`${name}: the two texts have different {placeholders}`]
}

function placeholdersOf(text) {
  return (text.match(PLACEHOLDER) ?? []).toSorted().join()
}
