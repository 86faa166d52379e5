import { expect, test } from 'vitest'
import { EMPTY_REGISTRATION, inviteCodeOf, registrationForm } from './registration.ts'

const good = {
  ...EMPTY_REGISTRATION,
  username: 'alice',
  password: '12345678',
  password2: '12345678',
}

const problems = (values: typeof good, needsEmail = false) => {
  const { error } = registrationForm({ needsEmail }).safeParse(values)
  return Object.fromEntries(
    error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [],
  )
}

test('valid values pass, with and without a verified address', () => {
  expect(problems(good)).toEqual({})
  const verified = { ...good, email: 'A@example.com', verification_code: 'ABC123' }
  expect(problems(verified, true)).toEqual({})
})

test('an empty form names everything that is missing', () => {
  expect(problems(EMPTY_REGISTRATION)).toEqual({
    username: 'common.form.required',
    password: 'common.form.required',
    password2: 'common.form.required',
  })
  expect(problems(EMPTY_REGISTRATION, true)).toMatchObject({
    email: 'common.form.required',
    verification_code: 'common.form.required',
  })
})

test('a password has 8 to 20 characters', () => {
  const withPassword = (password: string) => problems({ ...good, password, password2: password })
  expect(withPassword('1234567')).toEqual({ password: 'entry.register.passwordShort' })
  expect(withPassword('x'.repeat(21))).toEqual({ password: 'entry.register.passwordError' })
  expect(withPassword('密码密码密码密码')).toEqual({})
})

test('the second password is required and must match', () => {
  const message = (password2: string) => problems({ ...good, password2 })['password2']
  expect(message('')).toBe('common.form.required')
  expect(message('12345679')).toBe('entry.register.mismatch')
  expect(problems({ ...good, password: '1234567' })).toEqual({
    password: 'entry.register.passwordShort',
    password2: 'entry.register.mismatch',
  })
})

test('a username of 13 characters, or with a space at its end, is refused', () => {
  for (const username of ['a'.repeat(13), 'alice ', 'al\u200bice']) {
    expect(problems({ ...good, username })).toEqual({ username: 'entry.register.usernameError' })
  }
})

test('an invalid address is refused if one is required', () => {
  const values = { ...good, email: 'nobody', verification_code: 'ABC123' }
  expect(problems(values, true)).toEqual({ email: 'identity.code.emailError' })
  expect(problems(values)).toEqual({})
})

test('an invite code is taken from the address unless it is empty or far too long', () => {
  const codeOf = (query: string) => inviteCodeOf(new URLSearchParams(query))
  expect(codeOf('aff=AB12C')).toBe('AB12C')
  expect(codeOf('aff=+AB12C+')).toBe('AB12C')
  for (const query of ['', 'aff=', 'aff=++', `aff=${'x'.repeat(101)}`]) {
    expect(codeOf(query)).toBeNull()
  }
})
