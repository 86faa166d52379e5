import { z } from 'zod'
import { rule } from './problem.ts'

export type OptionTab = 'operation' | 'system' | 'other'

/** Ways into an account that rely on an external server. */
export const IDENTITY_WAYS = ['reset_mail', 'github', 'oidc', 'lark', 'wechat'] as const

export type IdentityWay = (typeof IDENTITY_WAYS)[number]

type Label = { en: string; zh: string }

type Flags = {
  /** Never returned, stored encrypted. Empty input keeps the value; a space clears it. */
  secret?: true
  /** For a secret: the options that define which server receives it. */
  sentTo?: readonly string[]
  /** The field of GET /api/status that publishes the value. */
  public?: string
  /** Sign-in ways this option controls: whoever sets it can decide who gets into accounts. */
  identity?: readonly IdentityWay[]
  /** The address or host name of a server that this process connects to. */
  connectsTo?: true
  /** Enabling or setting the option requires all options of at least one of these lists. */
  needs?: readonly (readonly string[])[]
}

export type OptionRow<Value = unknown> = Flags & {
  schema: z.ZodType<Value>
  default: Value
  tab: OptionTab
  label: Label
}

export function option<Value>(
  schema: z.ZodType<Value>,
  fallback: Value,
  tab: OptionTab,
  label: Label,
  flags: Flags = {},
): OptionRow<Value> {
  return { schema, default: fallback, tab, label, ...flags }
}

export const line = z
  .string()
  .trim()
  .max(500)
  .refine(
    (text) => !/\p{Cc}/u.test(text),
    rule('must have no control characters', '不能包含控制字符'),
  )
