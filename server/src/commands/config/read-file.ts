import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { listProblems, parseIn, type Problem } from '@tollgate/contract'
import { ConfigurationError } from '../../process/env.ts'
import { readSmallFile } from '../../process/read-small-file.ts'
import { reasonOf } from '../open-for-command.ts'
import { checkFile } from './check-file.ts'
import { type Fault, FileFaults, type Path, pathText } from './fault.ts'
import { type ConfigFile, configFile, jsonSchema, sectionOf } from './file-schema.ts'
import { nearestName } from './nearest-name.ts'

const FILE_BYTES_MAX = 4 * 1024 * 1024
/** An unknown name is reported with the known names if they are few. */
const NAMES_SHOWN_MAX = 20

export type ReadFile = {
  readonly file: ConfigFile
  /** Throws `FileFaults` with the place of each. */
  readonly report: (faults: readonly Fault[]) => never
}

/** Reads and checks a file without the installation. Throws `FileFaults`. */
export function readConfigFile(name: string): ReadFile {
  const text = readText(name)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const placed = (offset: number, rest: string) => {
    const { line, col } = lines.linePos(offset)
    return { line, col, text: `${name}:${line}:${col}: ${rest}` }
  }
  type Placed = ReturnType<typeof placed>
  const fail = (faults: readonly Placed[]): never => {
    const ordered = faults.toSorted((one, other) => one.line - other.line || one.col - other.col)
    throw new FileFaults([...new Set(ordered.map((fault) => fault.text))])
  }
  if (document.errors.length > 0) {
    fail(document.errors.map(({ pos, message }) => placed(pos[0], message)))
  }
  const report = (faults: readonly Fault[]): never =>
    fail(
      faults.map(({ path, problem }) =>
        placed(
          offsetOf(document, path),
          path.length === 0 ? problem : `${pathText(path)}: ${problem}`,
        ),
      ),
    )
  const parsed = parseIn(configFile, document.toJS() ?? {}, 'en')
  if (!parsed.success) return report(listProblems(parsed.error, 'en').flatMap(faultsOf))
  const faults = checkFile(parsed.data)
  if (faults.length > 0) report(faults)
  return { file: parsed.data, report }
}

function readText(name: string): string {
  try {
    return readSmallFile(name, FILE_BYTES_MAX)
  } catch (error) {
    throw new ConfigurationError(`the file ${name} cannot be read: ${reasonOf(error)}.`)
  }
}

type Yaml = ReturnType<typeof parseDocument>

/** The key of a member, or what comes nearest around a member that is missing. */
function offsetOf(document: Yaml, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = document.getIn(path.slice(0, length - 1), true)
    const last = path[length - 1]
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(last))
      : undefined
    const node: unknown =
      pair === undefined ? document.getIn(path.slice(0, length), true) : pair.key
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.contents?.range?.[0] ?? 0
}

function faultsOf({ path, problem, unknown }: Problem): Fault[] {
  const parts = path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (unknown.length === 0) return [{ path: parts, problem }]
  const known = namesAt(jsonSchema(), parts)
  return unknown.map((name) => ({ path: [...parts, name], problem: unknownName(name, known) }))
}

function unknownName(name: string, known: readonly string[]): string {
  const section = sectionOf(name)
  if (section !== undefined) return `is written under "${section}"`
  if (known.includes(name)) return 'does not fit the other members'
  const nearest = nearestName(name, known)
  if (nearest !== null) return `is unknown; did you mean "${nearest}"?`
  return known.length > NAMES_SHOWN_MAX
    ? 'is unknown'
    : `is unknown; known here: ${known.join(', ')}`
}

type Schema = z.core.JSONSchema._JSONSchema

/** The names that an object at this place may have. */
function namesAt(schema: Schema, path: Path): readonly string[] {
  if (typeof schema === 'boolean') return []
  const { anyOf = [schema] } = schema
  const [first, ...rest] = path
  return anyOf.flatMap((one) => {
    if (typeof one === 'boolean') return []
    const { properties = {}, additionalProperties = false, items = false } = one
    if (first === undefined) return Object.keys(properties)
    const named = Object.hasOwn(properties, first) ? properties[first] : undefined
    const other = additionalProperties === false ? items : additionalProperties
    return namesAt(named ?? (Array.isArray(other) ? false : other), rest)
  })
}
