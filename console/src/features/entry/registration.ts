import { z } from 'zod'
import { emailAddress, password, username } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'

const PASSWORD_LEAST = 8

type Judge = (text: string) => MessageKey | null

const textThat = (judge: Judge) =>
  z.string().check(({ value, issues }) => {
    const message = judge(value)
    // `continue` lets the password comparison run as well.
    if (message !== null) issues.push({ code: 'custom', message, input: value, continue: true })
  })

const usernameProblem: Judge = (text) => {
  if (text === '') return 'common.form.required'
  return username.safeParse(text).success ? null : 'entry.register.usernameError'
}

const passwordProblem: Judge = (text) => {
  if (text === '') return 'common.form.required'
  if ([...text].length < PASSWORD_LEAST) return 'entry.register.passwordShort'
  return password.safeParse(text).success ? null : 'entry.register.passwordError'
}

const emailProblem: Judge = (text) => {
  if (text.trim() === '') return 'common.form.required'
  return emailAddress.safeParse(text).success ? null : 'identity.code.emailError'
}

const filled: Judge = (text) => (text.trim() === '' ? 'common.form.required' : null)

const anything: Judge = () => null

export function registrationForm({ needsEmail }: { needsEmail: boolean }) {
  return z
    .object({
      username: textThat(usernameProblem),
      password: textThat(passwordProblem),
      password2: textThat((text) => (text === '' ? 'common.form.required' : null)),
      email: textThat(needsEmail ? emailProblem : anything),
      verification_code: textThat(needsEmail ? filled : anything),
    })
    .check(({ value: { password: first, password2 }, issues }) => {
      if (password2 === '' || first === password2) return
      const message: MessageKey = 'entry.register.mismatch'
      issues.push({ code: 'custom', message, path: ['password2'], input: password2 })
    })
}

export type Registration = z.output<ReturnType<typeof registrationForm>>

export const EMPTY_REGISTRATION: Registration = {
  username: '',
  password: '',
  password2: '',
  email: '',
  verification_code: '',
}

const INVITE_CODE_LENGTH_MAX = 100

/** Invite code from /register?aff=…; null if absent or too long. */
export function inviteCodeOf(params: URLSearchParams): string | null {
  const code = params.get('aff')?.trim() ?? ''
  return code === '' || code.length > INVITE_CODE_LENGTH_MAX ? null : code
}
