import { editMembers, foldName, type Member, scanAnswer } from './bytes/json-members.ts'
import type { Steps } from './bytes/steps.ts'

/** Changes of an object by member: JSON text to set, null to remove, or changes of its members. */
export type ParameterEdits = { readonly [name: string]: ParameterEdit }
type ParameterEdit = string | null | ParameterEdits

type Parameters = {
  readonly set: Readonly<Record<string, unknown>>
  /** Paths: names of members with dots between. */
  readonly removed: readonly string[]
}

type EditTree = { [name: string]: string | null | EditTree }

/** Null if nothing changes. No path may be inside another one. */
export function parameterEdits({ set, removed }: Parameters): ParameterEdits | null {
  const tree: EditTree = {}
  for (const [path, value] of Object.entries(set)) addEdit(tree, path, JSON.stringify(value))
  for (const path of removed) addEdit(tree, path, null)
  return Object.keys(tree).length === 0 ? null : tree
}

function addEdit(tree: EditTree, path: string, edit: string | null) {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let inner = tree
  for (const name of names) {
    const known = inner[name]
    const next = typeof known === 'object' && known !== null ? known : {}
    inner[name] = next
    inner = next
  }
  inner[last] = edit
}

/**
 * Changes members of a JSON object at any depth. All other bytes stay the same, and an object
 * without changes stays the same buffer.
 */
export function* editParameters(body: Buffer, edits: ParameterEdits): Steps<Buffer> {
  const members = yield* scanAnswer(body)
  if ('reason' in members) return body
  const changes: Record<string, string | null> = {}
  for (const [name, edit] of Object.entries(edits)) {
    // Some providers read any spelling, so another one is not added.
    const member = members.list.find((given) => foldName(given.name) === foldName(name))
    const text = member === undefined ? newText(edit) : yield* changedText(body, member, edit)
    if (text !== undefined) changes[member?.name ?? name] = text
  }
  return editMembers(body, members, changes)
}

/** Undefined keeps the member as it is. */
function* changedText(
  body: Buffer,
  { valueStart, end }: Member,
  edit: ParameterEdit,
): Steps<string | null | undefined> {
  if (typeof edit === 'string' || edit === null) return edit
  const value = body.subarray(valueStart, end)
  const isObject = value[0] === OPEN_BRACE
  if (!isObject) return newText(edit)
  const changed = yield* editParameters(value, edit)
  return changed === value ? undefined : changed.toString('utf8')
}

const OPEN_BRACE = 0x7b

/** The value of a member that was absent; undefined if nothing is set in it. */
function newText(edit: ParameterEdit): string | undefined {
  if (typeof edit === 'string') return edit
  const members = Object.entries(edit ?? {}).flatMap(([name, inner]) => {
    const text = newText(inner)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return members.length === 0 ? undefined : `{${members.join(',')}}`
}
