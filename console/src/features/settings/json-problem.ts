/** Problem in a JSON text and its position. `twice` means a duplicate member, given by `name`. */
export type JsonProblem = { kind: 'syntax' | 'twice'; name: string; line: number; column: number }

// oxlint-disable-next-line eslint/no-control-regex -- JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const SPACE = /[ \t\n\r]*/y
/** Deeper than any option; prevents a stack overflow on nested brackets. */
const DEPTH_MAX = 100

class Stop extends Error {
  readonly kind: JsonProblem['kind']
  readonly at: number
  readonly member: string

  constructor(kind: JsonProblem['kind'], at: number, member = '') {
    super(kind)
    this.kind = kind
    this.at = at
    this.member = member
  }
}

/**
 * First problem of a JSON text. Browsers report positions inconsistently or not at all, so this
 * module has its own parser.
 */
export function findJsonProblem(text: string): JsonProblem | null {
  try {
    const end = skip(text, readValue(text, skip(text, 0), 0))
    if (end < text.length) throw new Stop('syntax', end)
    return null
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    const before = text.slice(0, error.at)
    const line = before.split('\n').length
    const column = error.at - before.lastIndexOf('\n')
    return { kind: error.kind, name: error.member, line, column }
  }
}

const skip = (text: string, at: number) => match(SPACE, text, at) ?? at

/** End of the match, or null. */
function match(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

function readValue(text: string, at: number, depth: number): number {
  if (depth > DEPTH_MAX) throw new Stop('syntax', at)
  if (text[at] === '{') return readObject(text, at, depth)
  if (text[at] === '[') return readArray(text, at, depth)
  const end = match(text[at] === '"' ? STRING : SCALAR, text, at)
  if (end === null) throw new Stop('syntax', at)
  return end
}

function readObject(text: string, start: number, depth: number): number {
  const names = new Set<string>()
  let at = skip(text, start + 1)
  if (text[at] === '}') return at + 1
  for (;;) {
    const end = match(STRING, text, at)
    if (end === null) throw new Stop('syntax', at)
    const name = String(JSON.parse(text.slice(at, end)))
    if (names.has(name)) throw new Stop('twice', at, name)
    names.add(name)
    at = skip(text, end)
    if (text[at] !== ':') throw new Stop('syntax', at)
    at = skip(text, readValue(text, skip(text, at + 1), depth + 1))
    if (text[at] === '}') return at + 1
    if (text[at] !== ',') throw new Stop('syntax', at)
    at = skip(text, at + 1)
  }
}

function readArray(text: string, start: number, depth: number): number {
  let at = skip(text, start + 1)
  if (text[at] === ']') return at + 1
  for (;;) {
    at = skip(text, readValue(text, at, depth + 1))
    if (text[at] === ']') return at + 1
    if (text[at] !== ',') throw new Stop('syntax', at)
    at = skip(text, at + 1)
  }
}
