import type { z } from 'zod'
import type { JsonRecord } from '../../src/bytes/json-value.ts'

/*
 * Doubles of vendors that refuse what the vendors refuse. A rule is data: what is refused, how the
 * vendor answers, who says so, and a request that it fires for.
 */

/** A request as a vendor's server sees it. */
export type VendorRequest = {
  readonly model: string
  /** Path and query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonRecord
}

/**
 * `doc`: the vendor's pages. `src`: the vendor's SDK or API description, or a maintained client.
 * `issue`: the vendor's refusal as users reported it. `guess`: unconfirmed.
 */
type Sureness = 'doc' | 'src' | 'issue' | 'guess'

export type Rule = {
  readonly id: string
  /** What is refused. */
  readonly text: string
  readonly sure: Sureness
  /** Public pages and issues (`owner/repo#123`). */
  readonly source: string
  readonly refuses: (request: VendorRequest) => boolean
  readonly refusal: { readonly status: number; readonly body: JsonRecord }
  readonly example: VendorRequest
}

export type StrictVendor = {
  readonly name: string
  readonly title: string
  /** The paths of its chats. */
  readonly chatPath: RegExp
  /** The vendor's own example, which passes. */
  readonly documented: VendorRequest
  readonly modelOf: (request: Omit<VendorRequest, 'model'>) => string
  /** In the order of the vendor's checks. */
  readonly rules: readonly Rule[]
}

export type RuleRow = Pick<Rule, 'id' | 'text' | 'sure' | 'source' | 'refuses'> & {
  /** Members laid over the documented body; undefined removes a member. */
  readonly example?: JsonRecord
  /** Other parts of the example than its body. */
  readonly with?: Partial<Omit<VendorRequest, 'body'>>
  /** Instead of the vendor's usual status. */
  readonly status?: number
  readonly code?: string
}

type VendorData = Pick<StrictVendor, 'name' | 'title' | 'chatPath' | 'documented'> & {
  readonly modelOf?: StrictVendor['modelOf']
  readonly refusal: (row: RuleRow) => Rule['refusal']
  readonly rules: readonly RuleRow[]
}

export function strictVendor({ refusal, rules, ...vendor }: VendorData): StrictVendor {
  const { documented } = vendor
  return {
    modelOf: ({ body }) => String(body['model']),
    ...vendor,
    rules: rules.map((row) => ({
      ...row,
      refusal: refusal(row),
      example: {
        ...documented,
        ...row.with,
        body: withMembers(documented.body, { ...modelMember(row), ...row.example }),
      },
    })),
  }
}

const modelMember = ({ with: other }: RuleRow) =>
  other?.model === undefined ? {} : { model: other.model }

const withMembers = (body: JsonRecord, members: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries({ ...body, ...members }).filter(([, value]) => value !== undefined),
  )

export type CheckOptions = {
  /** Rules that are switched off, each with a reason. */
  readonly allow?: Readonly<Record<string, string>>
  /** Adds the unconfirmed rules. */
  readonly guesses?: boolean
}

export type Refusal = Rule['refusal'] & Pick<Rule, 'id' | 'text'>

/** The refusal of the first rule that fires; null if the vendor accepts the request. */
export const check = (
  vendor: StrictVendor,
  request: VendorRequest,
  options: CheckOptions = {},
): Refusal | null => brokenRules(vendor, request, options)[0] ?? null

/** Every rule that the request breaks. */
export function brokenRules(
  { rules }: StrictVendor,
  request: VendorRequest,
  { allow = {}, guesses = false }: CheckOptions = {},
): Refusal[] {
  return rules
    .filter(({ id, sure }) => !Object.hasOwn(allow, id) && (guesses || sure !== 'guess'))
    .filter(({ refuses }) => refuses(request))
    .map(({ id, text, refusal }) => ({ id, text, ...refusal }))
}

/** Whether the request has a member that the schema does not know. */
export const hasUnknownMember = (schema: z.ZodType, value: JsonRecord): boolean =>
  issuesOf(schema, value).some(isAboutUnknown)

/** Whether the request violates the schema otherwise. */
export const hasWrongType = (schema: z.ZodType, value: JsonRecord): boolean =>
  issuesOf(schema, value).some((issue) => !isAboutUnknown(issue))

type Issue = z.core.$ZodIssue

const parsed = new WeakMap<z.ZodType, WeakMap<JsonRecord, readonly Issue[]>>()

/** Parses a body once, though several rules ask. */
function issuesOf(schema: z.ZodType, value: JsonRecord): readonly Issue[] {
  const known = parsed.get(schema) ?? new WeakMap<JsonRecord, readonly Issue[]>()
  parsed.set(schema, known)
  const issues = known.get(value) ?? schema.safeParse(value).error?.issues ?? []
  known.set(value, issues)
  return issues
}

/** In a union the best branch counts: the one whose only fault is an unknown member. */
function isAboutUnknown(issue: Issue): boolean {
  if (issue.code === 'unrecognized_keys') return true
  if (issue.code !== 'invalid_union') return false
  return issue.errors.some((branch) => branch.length > 0 && branch.every(isAboutUnknown))
}
