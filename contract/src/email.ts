import { z } from 'zod'
import { rule } from './problem.ts'

const EMAIL_LENGTH_MAX = 50

/** What browsers take for an address (HTML, 4.10.5.1.5), in lower case: an address is one account. */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/

export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_LENGTH_MAX)
  .refine((text) => ADDRESS.test(text), rule('must be an e-mail address', '必须是邮箱地址'))
