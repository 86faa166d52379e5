import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeEndpoints } from '../src/admin/api-document/describe.ts'
import { RESOURCE_TITLES } from '../src/admin/api-document/summaries.ts'

/** Whose calls are made from the table: they prove refusals, not that a call does what it should. */
const GENERATED = /(?:access|access-matrix|bad-input|bad-fields|api-document)\.test\.ts$/

/** Where the tests of endpoints stand. */
export const TESTED_IN = ['server/src/admin', 'server/src/gateway']

const HEAD = `# The API, endpoint by endpoint

Written by \`npm run docs:api\` from the table in \`contract/src/tables.ts\`; a test fails when this page
is stale or a test is missing. Fields and limits stand in \`/api/docs\` and \`/api/openapi.json\` of a
running server, which are made from the same table.

Who may call: *public* is everybody, *user* is whoever is signed in, *admin* is role 10 and more, *root*
is role 100, *relay_key* is whoever sends a key of a token.

- **Happy** is found by reading the tests below \`server/src/admin\` and \`server/src/gateway\` that are
  written by hand: one of them names method and path, itself or through a short form above it, and looks
  at success, data or rows. So the column proves that somebody wrote such a test, not that it asserts
  enough.
- **Invalid** is made from the schemas by \`bad-input.test.ts\` and \`bad-fields.test.ts\`: every field
  with wrong types, too long, negative, huge, missing, broken characters; every id that is none.
- **Forbidden** is made from the column *access* by \`access.test.ts\` and \`access-matrix.test.ts\`: every
  caller that may not; for what changes something also a call from another site. Of *relay_key* it is found
  as the happy ones are: a test that names the path and expects HTTP 401 or 403.

A dash has its reason: *no input* has no field to be wrong; *open* is for everybody and changes nothing.
`

type Row = {
  name: string
  resource: string
  method: string
  path: string
  access: string
  summary: string
  happy: 'yes' | 'MISSING'
  invalid: 'yes' | 'no input'
  forbidden: 'yes' | 'open' | 'MISSING'
}

/** One row per endpoint; its happy test is looked for in the sources below `folders`. */
export function apiRows(folders: readonly string[]): Row[] {
  const tests = folders.flatMap(testFiles).flatMap((file) => readTests(readFileSync(file, 'utf8')))
  return describeEndpoints().map((endpoint) => {
    const { name, resource, method, path, access, summary, params, query, body } = endpoint
    const hasInput = params !== undefined || query !== undefined || body !== undefined
    const isOpen = access === 'public' && !endpoint.changesState
    const isFound = tests.some((one) => isHappy(one, method, slashless(path)))
    const isRefused =
      access !== 'relay_key' ||
      tests.some(({ paths, text }) => paths.has(path) && REFUSED.test(text))
    return {
      name,
      resource,
      method,
      path,
      access,
      summary,
      happy: isFound ? 'yes' : 'MISSING',
      invalid: hasInput ? 'yes' : 'no input',
      forbidden: isOpen ? 'open' : isRefused ? 'yes' : 'MISSING',
    }
  })
}

/** The page, as it stands in docs/api.md. */
export function apiPage(rows: readonly Row[]): string {
  const sections = Object.entries(RESOURCE_TITLES).map(([resource, { en }]) => {
    const lines = rows.filter((row) => row.resource === resource).map(lineOf)
    return `## ${en}\n\n| Endpoint | Access | What it does | Happy | Invalid | Forbidden |\n|---|---|---|---|---|---|\n${lines.join('')}`
  })
  return `${HEAD}\n${sections.join('\n')}`
}

function lineOf({ method, path, access, summary, happy, invalid, forbidden }: Row) {
  const dash = (word: string) => (/^(?:yes|MISSING)$/.test(word) ? word : `– (${word})`)
  return `| \`${method} ${path}\` | ${access} | ${summary} | ${happy} | ${dash(invalid)} | ${dash(forbidden)} |\n`
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !GENERATED.test(name))
    .map((name) => join(folder, name))
}

type TestSource = { text: string; paths: ReadonlySet<string> }

/** Each test, with what stands above all tests of its file: calls are often wrapped there. */
function readTests(source: string): TestSource[] {
  const [above = '', ...tests] = source.split(/^\s*test(?:\.\w+)*[.(]/m)
  return tests.map((test) => {
    const text = withConstants(above + test)
    return { text, paths: new Set(pathsIn(text)) }
  })
}

/** `${URL}search` becomes a path when URL is one. */
function withConstants(text: string): string {
  const constants = [...text.matchAll(/const (\w+) = '(\/api\/[^']*)'/g)]
  return constants.reduce(
    (rest, [, name = '', path = '']) => rest.replaceAll(`\${${name}}`, path),
    text,
  )
}

/** Written out, or a beginning that is completed by a word in quotes: `/api/oauth/${provider}`. */
function pathsIn(text: string): string[] {
  const literals = [...text.matchAll(/['"`](\/(?:api|dashboard)\/[^'"`?]*)/g)].map(
    ([, path = '']) => path,
  )
  const words = [...text.matchAll(/['"`]([a-z][\w/]*)['"`?]/g)].map(([, word = '']) => word)
  return literals.flatMap((path) => {
    const withId = path
      .replace(/([^/])\$\{[^}]*\}$/, '$1')
      .replace(/\$\{[^}]*\b(?:id|[a-z]+Id)\b[^}]*\}|\d+$/i, '{id}')
    const completed = /\$\{(?:path|name|provider|way)\}/.test(withId)
      ? words.map((word) => withId.replace(/\$\{\w+\}/, word))
      : [withId]
    return completed.map(slashless)
  })
}

const REFUSED = /toBe\((?:401|403)\)/

const OUTCOME =
  /success\)?[^\n]*true|\bfigures\([^\n]*\)\)\.toEqual|\.data\b|\{ data\b|\b(?:idOf|idsOf|rowsOf|keyOf)\(|\bcall\([^\n]*\)\)\.toEqual/

function isHappy({ text, paths }: TestSource, method: string, path: string): boolean {
  const names =
    method === 'GET' ? /'GET'|\bget\(/ : new RegExp(`'${method}'|\\b${method.toLowerCase()}\\(`)
  return paths.has(path) && names.test(text) && OUTCOME.test(text)
}

const slashless = (path: string) => path.replace(/\/$/, '')
