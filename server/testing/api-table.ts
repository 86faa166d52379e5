import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describeEndpoints, type EndpointDescription } from '../src/admin/api-document/describe.ts'
import { RESOURCE_TITLES } from '../src/admin/api-document/summaries.ts'
import { changing, endpoints, guarded, withBody, withParams, withQuery } from './endpoint-lists.ts'

/**
 * These suites generate their calls from the endpoint table or from a list of refusals, so they do
 * not prove that a call succeeds.
 */
const OF_REFUSALS =
  /(?:access|access-matrix|bad-input|bad-fields|only-reads|api-document|still-in|refusals)\.test\.ts$/

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

The suites of *invalid* and *forbidden* take their endpoints from \`server/testing/endpoint-lists.ts\`. A yes
means that each suite the endpoint concerns still goes over the list, and that the endpoint is in it.

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
  invalid: 'yes' | 'no input' | 'MISSING'
  forbidden: 'yes' | 'open' | 'MISSING'
}

type Suite = {
  file: string
  /** Title of the `each` call that iterates over the list. */
  title: string
  list: keyof typeof LISTS
  concerns: (endpoint: EndpointDescription) => boolean
}

const LISTS = { changing, endpoints, guarded, withBody, withParams, withQuery }

const hasBody = ({ body }: EndpointDescription) => body !== undefined

const isGuarded = ({ access }: EndpointDescription) => access !== 'public' && access !== 'relay_key'

const INVALID: readonly Suite[] = [
  { file: 'bad-input.test.ts', title: '$name', list: 'withBody', concerns: hasBody },
  { file: 'bad-fields.test.ts', title: 'the body of $name', list: 'withBody', concerns: hasBody },
  {
    file: 'bad-fields.test.ts',
    title: 'the query of $name',
    list: 'withQuery',
    concerns: ({ query }) => query !== undefined,
  },
  {
    file: 'bad-fields.test.ts',
    title: 'the id of $name',
    list: 'withParams',
    concerns: ({ params }) => params !== undefined,
  },
]

const FORBIDDEN: readonly Suite[] = [
  {
    file: 'access.test.ts',
    title: '$name without a session is 401',
    list: 'guarded',
    concerns: isGuarded,
  },
  {
    file: 'access-matrix.test.ts',
    title: '$name lets in whom its access names and nobody else',
    list: 'endpoints',
    concerns: isGuarded,
  },
  {
    file: 'access.test.ts',
    title: '$name from another site is 403 and changes nothing',
    list: 'changing',
    concerns: ({ changesState }) => changesState,
  },
]

/** One row per endpoint; `folders` are searched for its tests. */
export function apiRows(folders: readonly string[]): Row[] {
  const files = folders.flatMap(testFiles)
  const tests = files
    .filter((file) => !OF_REFUSALS.test(file))
    .flatMap((file) => readTests(readFileSync(file, 'utf8')))
  const kept = new Set([...INVALID, ...FORBIDDEN].filter((suite) => isKept(suite, files)))
  return describeEndpoints().map((endpoint) => {
    const { name, resource, method, path, access, summary } = endpoint
    const isFound = tests.some((one) => isHappy(one, method, slashless(path)))
    const isRefused = tests.some(({ paths, text }) => paths.has(path) && REFUSED.test(text))
    const byHand = isRefused ? 'yes' : 'MISSING'
    return {
      name,
      resource,
      method,
      path,
      access,
      summary,
      happy: isFound ? 'yes' : 'MISSING',
      invalid: proofBy(INVALID, kept, endpoint) ?? 'no input',
      forbidden: access === 'relay_key' ? byHand : (proofBy(FORBIDDEN, kept, endpoint) ?? 'open'),
    }
  })
}

/** Whether every suite that applies to the endpoint exists and covers it; null if none applies. */
function proofBy(
  suites: readonly Suite[],
  kept: ReadonlySet<Suite>,
  endpoint: EndpointDescription,
): 'yes' | 'MISSING' | null {
  const concerned = suites.filter((suite) => suite.concerns(endpoint))
  if (concerned.length === 0) return null
  const goesOver = (suite: Suite) =>
    kept.has(suite) && LISTS[suite.list].some(({ name }) => name === endpoint.name)
  return concerned.every(goesOver) ? 'yes' : 'MISSING'
}

const IMPORTED = /^import \{([^}]*)\} from '[./]*testing\/endpoint-lists\.ts'/m

/** Only an unfiltered list counts: a filtered list leaves endpoints out. */
const CASES = /^ *(?:describe|test)\.each\((\w+)\)\(\s*'([^']*)'/gm

/** Whether the file imports the same list as this page and iterates over all of it. */
function isKept({ file, title, list }: Suite, files: readonly string[]): boolean {
  const path = files.find((one) => basename(one) === file)
  const source = path === undefined ? '' : readFileSync(path, 'utf8')
  const [, imported = ''] = IMPORTED.exec(source) ?? []
  const goesOver = [...source.matchAll(CASES)].some(
    ([, cases, called]) => cases === list && called === title,
  )
  return goesOver && imported.split(/[\s,]+/).includes(list)
}

/** The content of docs/reference/api.md. */
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
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
}

type TestSource = { text: string; paths: ReadonlySet<string> }

/** Each test together with its file's preamble, because helpers that wrap calls stand there. */
function readTests(source: string): TestSource[] {
  const [above = '', ...tests] = withoutTypes(source).split(/^\s*test(?:\.\w+)*[.(]/m)
  return tests.map((test) => {
    const text = withConstants(above + test)
    return { text, paths: new Set(pathsIn(text)) }
  })
}

/** Removes type unions such as `method: 'GET' | 'PUT'`, which would look like calls. */
const withoutTypes = (source: string) => source.replaceAll(/'[A-Z]+'(?: \| '[A-Z]+')+/g, 'Method')

/** Inlines constants: `${URL}search` becomes a path if URL is one. */
function withConstants(text: string): string {
  const constants = [...text.matchAll(/const (\w+) = '(\/api\/[^']*)'/g)]
  return constants.reduce(
    (rest, [, name = '', path = '']) => rest.replaceAll(`\${${name}}`, path),
    text,
  )
}

/**
 * Finds literal paths, and completes templates such as `/api/oauth/${provider}` with the quoted
 * words.
 */
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
