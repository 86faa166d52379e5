import { z } from 'zod'
import { rule } from './problem.ts'

export type OptionTab = 'operation' | 'system' | 'other'

/** Ways into an account that depend on a server outside. */
export const IDENTITY_WAYS = ['reset_mail', 'github', 'oidc', 'lark', 'wechat'] as const

export type IdentityWay = (typeof IDENTITY_WAYS)[number]

type Label = { en: string; zh: string }

type Flags = {
  /** Never sent back and stored encrypted; an empty input means unchanged, a space clears it. */
  secret?: true
  /** Of a secret: the options that say which server it is sent to. */
  sentTo?: readonly string[]
  /** The field of GET /api/status that shows it to everybody. */
  public?: string
  /** Whoever sets it decides who comes into accounts by these ways. */
  identity?: readonly IdentityWay[]
  /** The address or name of a server that this process connects to. */
  connectsTo?: true
  /** Switching it on, or setting it, needs every option of one of these lists to be set. */
  needs?: readonly (readonly string[])[]
}

export type OptionRow<Value = unknown> = Flags & {
  schema: z.ZodType<Value>
  default: Value
  tab: OptionTab
  label: Label
}

/** One row of the table of options. */
export function option<Value>(
  schema: z.ZodType<Value>,
  fallback: Value,
  tab: OptionTab,
  label: Label,
  flags: Flags = {},
): OptionRow<Value> {
  return { schema, default: fallback, tab, label, ...flags }
}

/** One line of text. */
export const line = z
  .string()
  .trim()
  .max(500)
  .refine(
    (text) => !/\p{Cc}/u.test(text),
    rule('must have no control characters', '不能包含控制字符'),
  )
