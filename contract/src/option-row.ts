import { z } from 'zod'
import type { InBoth } from './app-error.ts'
import type { OptionSectionId } from './option-sections.ts'
import { rule } from './problem.ts'

/** Ways into an account that rely on an external server. */
export const IDENTITY_WAYS = ['reset_mail', 'github', 'oidc', 'lark', 'wechat'] as const

export type IdentityWay = (typeof IDENTITY_WAYS)[number]

/** Fields of the console that a value's type does not decide. */
type OptionEditor =
  | 'quota'
  | 'port'
  | 'theme'
  | 'choice'
  | 'prose'
  | 'domains'
  | 'links'
  | 'packages'
  | 'group_limits'
  | 'call_prices'
  | 'group_ratios'
  | 'model_ratios'

type Details = {
  label: InBoth
  /** Help below the field. */
  hint?: InBoth
  /** Required for tables. Without it the console shows a switch, a number, a secret or a line. */
  editor?: OptionEditor
  /** Never returned, stored encrypted. Empty input keeps the value; a space clears it. */
  secret?: true
  /** An address whose path or query may have a token: shown to editors, masked in the history. */
  tokenInPath?: true
  /** For a secret: the options that define which server receives it. */
  sentTo?: readonly string[]
  /** The field of GET /api/status that publishes the value. */
  public?: string
  /** Ways to log in that it controls: whoever sets the option can decide who gets into accounts. */
  identity?: readonly IdentityWay[]
  /** The address or host name of a server that this process connects to. */
  connectsTo?: true
  /** Enabling or setting the option requires all options of at least one of these lists. */
  needs?: readonly (readonly string[])[]
}

export type OptionRow<Value = unknown> = Details & {
  schema: z.ZodType<Value>
  default: Value
  section: OptionSectionId
}

export function option<Value>(
  schema: z.ZodType<Value>,
  fallback: Value,
  section: OptionSectionId,
  details: Details,
): OptionRow<Value> {
  return { schema, default: fallback, section, ...details }
}

export const line = z
  .string()
  .trim()
  .max(500)
  .refine(
    (text) => !/\p{Cc}/u.test(text),
    rule('must have no control characters', '不能包含控制字符'),
  )
