import { isUtf8 } from 'node:buffer'
import { hasEscapes, withPlainEscapes } from '../bytes/json-escapes.ts'
import {
  foldName,
  hasInnerDuplicates,
  type Members,
  MEMBERS_MAX,
  type MembersProblem,
  NAME_BYTES_MAX,
  scanMembersInSteps,
} from '../bytes/json-members.ts'
import {
  isOutlinedAtOnce,
  outlineAtOnce,
  outlineInSteps,
  type OutlineOptions as Outline,
} from '../bytes/json-outline.ts'
import { isSmall, parseInSteps, readJson } from '../bytes/json-parse.ts'
import { UNQUOTED_BYTES_MAX, NODES_MAX } from '../bytes/json-scan.ts'
import { isRecord, type JsonRecord, parseJson } from '../bytes/json-value.ts'
import { writeJson } from '../bytes/json-write.ts'
import { Once, singleStep, type Steps } from '../bytes/steps.ts'
import { isRequestProblem, problem, type RequestProblem } from '../errors/request-problem.ts'
import { hiddenInExtraBody, unknownMember } from './spelling.ts'

export type JsonBody = {
  readonly body: Buffer
  readonly members: Members
  readonly json: JsonRecord
}

/** A JSON object without its long strings, and whole once that is needed. */
export type OutlinedBody = {
  readonly body: Buffer
  readonly members: Members
  readonly outline: JsonRecord
  readonly whole: Once<JsonRecord>
}

/** Parsing such a body as a whole costs hardly more than without its long strings. */
const SMALL_BYTES_MAX = 4096

export type OutlineOptions = Outline & {
  /** Otherwise a body in which an object has a member twice is written again from its values. */
  readonly keepsDuplicates?: boolean
  /** The outline of a small body is the whole body, which is then translated only once. */
  readonly keepsSmall?: boolean
}

export function* readOutline(
  given: Buffer,
  options: OutlineOptions = {},
): Steps<OutlinedBody | RequestProblem> {
  // Each generator that a small body does not need would allocate as much as its outline.
  const body = hasEscapes(given) ? yield* withPlainEscapes(given) : given
  if (!isUtf8(body)) return notUtf8()
  const scanned = yield* scanMembersInSteps(body)
  if ('reason' in scanned) return membersProblem(scanned)
  const keepsAll = options.keepsSmall === true && body.length <= SMALL_BYTES_MAX
  const members = keepsAll ? { ...scanned, longTexts: [] } : scanned
  const outline = isOutlinedAtOnce(body, members)
    ? outlineAtOnce(body, members, options)
    : yield* outlineInSteps(body, members, options)
  if (!isRecord(outline)) return notJson()
  if (options.keepsDuplicates !== true && hasInnerDuplicates(members, outline)) {
    return yield* readOutline(yield* writeJson(yield* readJson(body), body.length), options)
  }
  const isWhole = members.longTexts.length === 0
  // Safe because a body whose outline is an object is an object too.
  const readWhole = () => readJson(body) as Steps<JsonRecord>
  const whole = new Once(isWhole ? () => singleStep(outline) : readWhole)
  return { body, members, outline, whole }
}

/** Reads what `change` makes of a body that has the form of another API. */
export function* readChanged(
  { body, whole }: OutlinedBody,
  change: (json: JsonRecord) => JsonRecord,
  options?: OutlineOptions,
): Steps<OutlinedBody | RequestProblem> {
  const changed = change(yield* whole.prepare())
  return yield* readOutline(yield* writeJson(changed, body.length), options)
}

/** A JSON object in which every metered member occurs at most once, and under its proper name. */
export function* readJsonBody(
  body: Buffer,
  metered: ReadonlySet<string>,
): Steps<JsonBody | RequestProblem> {
  const read = yield* readWholeBody(body)
  if (isRequestProblem(read)) return read
  const { members, json } = read
  if (hasInnerDuplicates(members, json)) {
    return yield* readJsonBody(yield* writeJson(json, body.length), metered)
  }
  return disguisedMember(members, metered) ?? hiddenInExtraBody(json, metered) ?? read
}

function* readWholeBody(given: Buffer): Steps<JsonBody | RequestProblem> {
  const body = yield* withPlainEscapes(given)
  const members = yield* readMembers(body)
  if (isRequestProblem(members)) return members
  const json = isSmall(body.length, members.nodes)
    ? parseJson(body.toString('utf8'))
    : yield* parseInSteps(body)
  return isRecord(json) ? { body, members, json } : notJson()
}

function* readMembers(body: Buffer): Steps<Members | RequestProblem> {
  if (!isUtf8(body)) return notUtf8()
  const members = yield* scanMembersInSteps(body)
  return 'reason' in members ? membersProblem(members) : members
}

const notUtf8 = () => problem('The request body is not valid UTF-8.')

const notJson = () => problem('The request body is not valid JSON.')

/** A metered member in another spelling, which some providers read all the same. */
export function disguisedMember(
  { list }: Members,
  metered: ReadonlySet<string>,
): RequestProblem | null {
  const disguised = list.find(({ name }) => !metered.has(name) && metered.has(foldName(name)))
  return disguised === undefined ? null : unknownMember(disguised.name)
}

export function membersProblem({ reason, name }: MembersProblem): RequestProblem {
  switch (reason) {
    case 'duplicate':
      return problem(`The request body has the member '${name}' more than once.`, name ?? null)
    case 'too_deep':
      return problem('The request body is nested too deeply.')
    case 'too_many_members':
      return tooLarge(`more than ${MEMBERS_MAX} members`)
    case 'too_many_nodes':
      return tooLarge(`more than ${NODES_MAX} JSON values (strings, numbers, objects and lists)`)
    case 'too_bare':
      return tooLarge(`more than ${UNQUOTED_BYTES_MAX} bytes outside of strings`)
    case 'long_name':
      return tooLarge(`a member whose name is longer than ${NAME_BYTES_MAX} bytes`)
    case 'not_object':
      return problem('The request body must be a JSON object.')
    case 'malformed':
      return notJson()
  }
}

const tooLarge = (excess: string) =>
  problem(`The request body has ${excess}.`, null, 'request_too_large')
