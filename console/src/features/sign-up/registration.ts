import { z } from 'zod'
import { emailAddress, password, username } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'

const PASSWORD_LENGTH_MIN = 8

type TextCheck = (text: string) => MessageKey | null

const checkedText = (check: TextCheck) =>
  z.string().check(({ value, issues }) => {
    const message = check(value)
    // `continue` lets the password comparison run as well.
    if (message !== null) issues.push({ code: 'custom', message, input: value, continue: true })
  })

const usernameProblem: TextCheck = (text) => {
  if (text === '') return 'common.form.required'
  return username.safeParse(text).success ? null : 'entry.register.usernameError'
}

const passwordProblem: TextCheck = (text) => {
  if (text === '') return 'common.form.required'
  if ([...text].length < PASSWORD_LENGTH_MIN) return 'entry.register.passwordShort'
  return password.safeParse(text).success ? null : 'entry.register.passwordError'
}

const emailProblem: TextCheck = (text) => {
  if (text.trim() === '') return 'common.form.required'
  return emailAddress.safeParse(text).success ? null : 'identity.code.emailError'
}

const requiredProblem: TextCheck = (text) => (text.trim() === '' ? 'common.form.required' : null)

const noProblem: TextCheck = () => null

export function registrationForm({ needsEmail }: { needsEmail: boolean }) {
  return z
    .object({
      username: checkedText(usernameProblem),
      password: checkedText(passwordProblem),
      password2: checkedText((text) => (text === '' ? 'common.form.required' : null)),
      email: checkedText(needsEmail ? emailProblem : noProblem),
      verification_code: checkedText(needsEmail ? requiredProblem : noProblem),
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
