import { z } from 'zod'
import { rule } from './problem.ts'

const EMAIL_LENGTH_MAX = 50

/** The HTML standard's email rule (4.10.5.1.5), in lower case: one account per address. */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/

export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_LENGTH_MAX)
  .refine((text) => ADDRESS.test(text), rule('must be an email address', '必须是邮箱地址'))
