import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  describeEndpoints,
  type EndpointDescription,
} from '../../src/admin/api-document/describe.ts'
import { RESOURCE_TITLES } from '../../src/admin/api-document/summaries.ts'
import { changing, endpoints, withBody, withParams, withQuery } from '../worlds/endpoint-lists.ts'

/** Suites made from the table or a list of refusals. They do not prove that a call works. */
const OF_REFUSALS =
  /(?:access|access-matrix|bad-input|bad-fields|only-reads|api-document|still-in|refusals)\.test\.ts$/

/** Folders with the tests of endpoints. */
export const TESTED_IN = ['server/src/admin', 'server/src/gateway']

const HEAD = `# The API, endpoint by endpoint

This page is for developers of the control plane. It lists every endpoint, who may call it,
and which kinds of tests it has. \`npm run docs:api\` writes it from the table in
\`contract/src/tables.ts\`; a test fails when this page is stale or a test is missing. Fields
and limits are in \`/api/docs\` and \`/api/openapi.json\` of a running server, which are made from
the same table.

| Access | Allowed callers |
|---|---|
| *public* | everybody |
| *user* | logged-in users |
| *admin* | role 10 and higher |
| *root* | role 100 |
| *relay_key* | callers with the key of a token |

- **Happy** is found by reading the handwritten tests below \`server/src/admin\` and
  \`server/src/gateway\`. A test counts if it names method and path, itself or through a short
  form above it, and looks at success, data or rows. The column proves that somebody wrote
  such a test, not that it asserts enough.
- **Invalid** is made from the schemas by \`bad-input.test.ts\` and \`bad-fields.test.ts\`: every
  field with wrong types, too long, negative, huge, missing, broken characters; every id that
  is not one.
- **Forbidden** is made from the column *access* by \`access.test.ts\` and
  \`access-matrix.test.ts\`: every caller without access, and for changes also a call from
  another site. For *relay_key* it is found as the happy tests are: a test that names the path
  and expects HTTP 401 or 403.

The suites of *invalid* and *forbidden* take their endpoints from
\`server/testing/worlds/endpoint-lists.ts\`. A yes means that each suite the endpoint concerns still
loops over the list, and that the endpoint is in it.

A dash has its reason: *no input* means no field that could be wrong; *open* is for everybody
and changes nothing.
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
  /** What its cases are called, which begins the `each` that goes over the list. */
  title: string
  list: keyof typeof LISTS
  concerns: (endpoint: EndpointDescription) => boolean
}

const LISTS = { changing, endpoints, withBody, withParams, withQuery }

const hasBody = ({ body }: EndpointDescription) => body !== undefined

const isGuarded = ({ access }: EndpointDescription) => access !== 'public' && access !== 'relay_key'

const INVALID: readonly Suite[] = [
  {
    file: 'bad-input.test.ts',
    title: '$name accepts nonsense without harm',
    list: 'withBody',
    concerns: hasBody,
  },
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
    file: 'access-matrix.test.ts',
    title: '$name admits only the roles of its access',
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

/** One row per endpoint; its tests are looked for in the sources below `folders`. */
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

/** Whether each suite that concerns the endpoint covers it; null if no suite concerns it. */
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

const IMPORTED = /^import \{([^}]*)\} from '[./]*testing\/worlds\/endpoint-lists\.ts'/m

/** A list on its own, since one that is filtered leaves endpoints out. */
const CASES = /^ *(?:describe|test)\.each\((\w+)\)\(\s*'([^']*)'/gm

/** Whether the file still takes the list from where this page does, and goes over all of it. */
function isKept({ file, title, list }: Suite, files: readonly string[]): boolean {
  const path = files.find((one) => basename(one) === file)
  const source = path === undefined ? '' : readFileSync(path, 'utf8')
  const [, imported = ''] = IMPORTED.exec(source) ?? []
  const goesOver = [...source.matchAll(CASES)].some(
    ([, cases, called]) => cases === list && called === title,
  )
  return goesOver && imported.split(/[\s,]+/).includes(list)
}

/** The page, as it stands in docs/reference/api.md. */
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

/** Each test, with what stands above all tests of its file: calls are often wrapped there. */
function readTests(source: string): TestSource[] {
  const [above = '', ...tests] = withoutTypes(source).split(/^\s*test(?:\.\w+)*[.(]/m)
  return tests.map((test) => {
    const text = withConstants(above + test)
    return { text, paths: new Set(pathsIn(text)) }
  })
}

/** `method: 'GET' | 'PUT'` names no method that is called. */
const withoutTypes = (source: string) => source.replaceAll(/'[A-Z]+'(?: \| '[A-Z]+')+/g, 'Method')

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
