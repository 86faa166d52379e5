import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const VERSION = /^\d+\.\d+\.\d+(?:-[\da-z.-]+)?$/
const UNRELEASED = '## Unreleased'

/** Every place that names the version, with the text around it. */
const PLACES = [
  { file: 'package.json', before: '\n  "version": "', after: '"' },
  { file: 'package-lock.json', before: '\n  "version": "', after: '"' },
  { file: 'package-lock.json', before: '\n      "version": "', after: '"' },
  { file: 'server/src/main.ts', before: "\nconst VERSION = 'v", after: "'" },
  { file: 'deploy/helm/Chart.yaml', before: '\nversion: ', after: '\n' },
  { file: 'deploy/helm/Chart.yaml', before: '\nappVersion: ', after: '\n' },
  { file: 'docs/operate/probes.md', before: '\n  "version": "v', after: '"' },
]
const CHANGELOG = 'CHANGELOG.md'

export const RELEASED_FILES = [...new Set([...PLACES.map(({ file }) => file), CHANGELOG])]

/** A release that cannot be made; shown as one sentence. */
export class ReleaseError extends Error {}

export function checkVersion(version) {
  if (version !== undefined && VERSION.test(version)) return
  throw new ReleaseError(`VERSION must be three numbers such as 1.2.0, or 1.2.0-rc.1: ${version}`)
}

/** Writes version and date into the files of a folder; returns the notes of the release. */
export function prepareRelease(root, { version, date }) {
  for (const place of PLACES) setVersion(path.join(root, place.file), version, place)
  const file = path.join(root, CHANGELOG)
  const { changelog, notes } = closeChangelog(readFileSync(file, 'utf8'), { version, date })
  writeFileSync(file, changelog)
  return notes
}

function setVersion(file, version, { before, after }) {
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(before) + before.length
  const end = text.indexOf(after, start)
  if (start < before.length || end === -1) {
    throw new ReleaseError(`${file} has no version after ${JSON.stringify(before)}.`)
  }
  writeFileSync(file, text.slice(0, start) + version + text.slice(end))
}

/** The section of unreleased changes gets the version, and a new one is opened above it. */
export function closeChangelog(text, { version, date }) {
  const start = text.indexOf(`${UNRELEASED}\n`)
  if (start === -1) throw new ReleaseError(`${CHANGELOG} has no section "${UNRELEASED}".`)
  if (text.includes(`\n## ${version} `)) {
    throw new ReleaseError(`${CHANGELOG} already has the version ${version}.`)
  }
  const body = text.slice(start + UNRELEASED.length)
  const next = body.search(/^## /m)
  const section = (next === -1 ? body : body.slice(0, next)).trim()
  if (section === '') throw new ReleaseError(`${CHANGELOG} lists no unreleased changes.`)
  const changelog = `${text.slice(0, start)}${UNRELEASED}\n\n## ${version} (${date})${body}`
  return { changelog, notes: `# Tollgate ${version}\n\n${section}\n` }
}
