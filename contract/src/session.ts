import { z } from 'zod'
import { emailAddress } from './email.ts'
import { endpoint } from './endpoint.ts'
import { FIRST_CALLS, withSchemas } from './first-calls.ts'
import { rule } from './problem.ts'
import { signInResult } from './second-factor.ts'
import { password, username } from './user-fields.ts'

const credentials = z.object({
  username: z.string().min(1).max(100),
  password: z.string().min(1).max(100),
})

/** Captcha token of the browser; empty while Turnstile is off. */
const turnstile = z.string().max(4096).default('')

export const VERIFICATION_CODE_LENGTH = 6

const code = z.string().trim().max(100)

/** `email` and its code are used only while registration requires a verified address. */
const registration = z
  .object({
    username,
    password,
    password2: z.string().max(100).optional(),
    email: z.union([z.literal(''), emailAddress]).default(''),
    verification_code: code.default(''),
    aff_code: z.string().trim().max(100).default(''),
  })
  .refine(
    ({ password: first, password2 }) =>
      password2 === undefined || password2 === '' || first === password2,
    {
      ...rule('the two passwords do not match', '两次输入的密码不一致'),
      path: ['password2'],
    },
  )

export const sessionEndpoints = {
  login: withSchemas(FIRST_CALLS.login, { body: credentials, data: signInResult }),
  logout: withSchemas(FIRST_CALLS.logout, { changesState: true }),
  register: endpoint('POST', '/api/user/register', 'public', {
    query: z.object({ turnstile }),
    body: registration,
  }),
  /** Mails a code. The response does not reveal whether the address has an account. */
  sendVerificationCode: endpoint('GET', '/api/verification', 'public', {
    query: z.object({ email: emailAddress, turnstile }),
    changesState: true,
  }),
  /** Mails a reset link. The response does not reveal whether the address has an account. */
  sendResetMail: endpoint('GET', '/api/reset_password', 'public', {
    query: z.object({ email: emailAddress, turnstile }),
    changesState: true,
  }),
  /** Returns the new password. */
  resetPassword: endpoint('POST', '/api/user/reset', 'public', {
    body: z.object({ email: emailAddress, token: z.string().trim().min(1).max(200) }),
    data: z.string(),
  }),
} as const
