import { z } from 'zod'
import { rule } from './problem.ts'
import { id } from './units.ts'

/** Returned by login and kept by the console. */
export const sessionUserSchema = z.object({
  id,
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
})

export type SessionUser = z.output<typeof sessionUserSchema>

const characters = (text: string) => [...text].length

/** Lengths are in characters, not UTF-16 units. */
export const textOf = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => characters(text) >= min && characters(text) <= max,
      min === 0
        ? rule(`must have at most ${max} characters`, `最多 ${max} 个字符`)
        : rule(`must have ${min} to ${max} characters`, `长度须为 ${min} 到 ${max} 个字符`),
    )
    .refine(
      (text) => !/[\p{Cc}\p{Cs}]/u.test(text),
      rule('must have no control characters', '不能包含控制字符'),
    )

/**
 * Look-alike names belong to different users, so invisible characters are rejected. Spaces inside
 * are allowed.
 */
export const username = textOf(1, 12).refine(
  (text) => text === text.trim() && !/[\p{Cf}\p{Zl}\p{Zp}]/u.test(text),
  rule(
    'must have no invisible characters and no spaces at its ends',
    '首尾不能有空格，也不能包含不可见字符',
  ),
)
export const displayName = textOf(0, 20)
export const password = textOf(8, 20)

/** Password of the first account unless the operator sets another; `password` would reject it. */
export const DEFAULT_ROOT_PASSWORD = '123456'
