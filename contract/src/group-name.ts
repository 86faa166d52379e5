import { z } from 'zod'
import { rule } from './problem.ts'

const GROUP_NAME = /^(?!\s)[^,\p{Cc}]*(?<!\s)$/u

/** Groups of a channel or a user are stored as comma-separated names. */
export const groupName = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (name) => GROUP_NAME.test(name),
    rule(
      'must have no comma, no control character, and no space at its ends',
      '不能包含逗号、控制字符，首尾不能有空格',
    ),
  )
