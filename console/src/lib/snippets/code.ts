/** Code that sends a JSON request with the client libraries, or without any. */
export const CODE_FORMS = ['curl', 'python', 'node', 'go', 'json'] as const

export type CodeForm = (typeof CODE_FORMS)[number]

type Body = Readonly<Record<string, unknown>>
type CodeRequest = { address: string; key: string; path: string; body: Body }

/** The forms that exist for a path; the others name a method of OpenAI's client library. */
export const formsOf = (path: string): readonly CodeForm[] =>
  methodOf(path) === undefined
    ? CODE_FORMS.filter((form) => form !== 'python' && form !== 'node')
    : CODE_FORMS

export function codeOf(form: CodeForm, request: CodeRequest): string {
  return WRITERS[form](request)
}

const METHODS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat.completions.create',
  '/v1/completions': 'completions.create',
  '/v1/embeddings': 'embeddings.create',
  '/v1/moderations': 'moderations.create',
  '/v1/images/generations': 'images.generate',
  '/v1/audio/speech': 'audio.speech.create',
}

const methodOf = (path: string) => METHODS[path]

const WRITERS: Readonly<Record<CodeForm, (request: CodeRequest) => string>> = {
  curl: writeCurl,
  python: writePython,
  node: writeNode,
  go: writeGo,
  json: ({ body }) => JSON.stringify(body, null, 2),
}

/** Shells end a single-quoted text at a quote, so a quote stands outside of the quotes. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

function writeCurl({ address, key, path, body }: CodeRequest): string {
  return [
    `curl ${address}${path} \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellQuoted(JSON.stringify(body))}`,
  ].join('\n')
}

function writePython({ address, key, path, body }: CodeRequest): string {
  const members = Object.entries(body).map(([name, value]) => `    ${name}=${pythonOf(value, 4)},`)
  return [
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${pythonOf(`${address}/v1`)}, api_key=${pythonOf(key)})`,
    `answer = client.${methodOf(path)}(`,
    ...members,
    ')',
    ...(body['stream'] === true ? ['for part in answer:', '    print(part)'] : ['print(answer)']),
  ].join('\n')
}

const INDENT = 4

/** JSON as a Python expression. JSON's escapes are those of Python. */
function pythonOf(value: unknown, indent = 0): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const inner = indent + INDENT
  const items = isList
    ? value.map((item) => pythonOf(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${pythonOf(item, inner)}`,
      )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return `${open}${close}`
  const pad = ' '.repeat(inner)
  const lines = items.map((item) => `${pad}${item},`).join('\n')
  return `${open}\n${lines}\n${' '.repeat(indent)}${close}`
}

function writeNode({ address, key, path, body }: CodeRequest): string {
  return [
    "import OpenAI from 'openai'",
    '',
    'const client = new OpenAI({',
    `  baseURL: ${JSON.stringify(`${address}/v1`)},`,
    `  apiKey: ${JSON.stringify(key)},`,
    '})',
    `const answer = await client.${methodOf(path)}(${JSON.stringify(body, null, 2)})`,
    body['stream'] === true
      ? 'for await (const part of answer) console.log(part)'
      : 'console.log(answer)',
  ].join('\n')
}

function writeGo({ address, key, path, body }: CodeRequest): string {
  const json = JSON.stringify(JSON.stringify(body))
  return [
    'package main',
    '',
    'import (',
    '\t"io"',
    '\t"net/http"',
    '\t"os"',
    '\t"strings"',
    ')',
    '',
    'func main() {',
    `\tbody := strings.NewReader(${json})`,
    `\trequest, err := http.NewRequest("POST", ${JSON.stringify(address + path)}, body)`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    `\trequest.Header.Set("Authorization", ${JSON.stringify(`Bearer ${key}`)})`,
    '\trequest.Header.Set("Content-Type", "application/json")',
    '\tanswer, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer answer.Body.Close()',
    '\tio.Copy(os.Stdout, answer.Body)',
    '}',
  ].join('\n')
}
