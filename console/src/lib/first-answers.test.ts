import { expect, test } from 'vitest'
import {
  DEFAULT_TOP_UP_PACKAGES,
  sessionEndpoints,
  type SessionUser,
  sessionUserSchema,
  type Status,
  statusSchema,
} from '@tollgate/contract'
import { isSessionUser, isSignIn, isStatus } from './first-answers.ts'

const STATUS: Status = {
  version: '1.0',
  start_time: 1,
  system_name: 'Tollgate',
  logo: '',
  footer_html: '',
  theme: '',
  server_address: '',
  console_address: '',
  chat_link: '',
  top_up_link: '',
  public_catalog: true,
  public_status: false,
  quota_per_unit: 500_000,
  display_in_currency: true,
  time_zone: '',
  home_page_content: '',
  notice: '',
  links: { docs: 'https://docs.test' },
  top_up_packages: {
    packages: [...DEFAULT_TOP_UP_PACKAGES.packages, { usd: 1, cny: 7, link: 'https://shop.test' }],
    promotion: DEFAULT_TOP_UP_PACKAGES.promotion,
  },
  release_address: '',
  register_enabled: true,
  password_register_enabled: true,
  email_verification: false,
  turnstile_check: false,
  turnstile_site_key: '',
  github_oauth: false,
  github_client_id: '',
  oidc: false,
  oidc_client_id: '',
  oidc_well_known: '',
  oidc_authorization_endpoint: '',
  oidc_token_endpoint: '',
  oidc_userinfo_endpoint: '',
  lark_client_id: '',
  wechat_login: false,
  wechat_qrcode: '',
}

const USER: SessionUser = { id: 7, username: 'carol', display_name: '', role: 1, status: 1 }
const PENDING = { require_2fa: true, ticket: 'x', factors: ['totp', 'recovery_code'] }

const WRONG = [undefined, null, 'text', true, 1.5, -1, Number.NaN, [], ['text'], [1], {}, { a: 1 }]

type Json = { [key: string]: unknown }

const isTable = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value with each of its fields, at any depth, replaced by each of these values. */
function* mutations(value: unknown): Generator<unknown> {
  yield* WRONG
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      for (const changed of mutations(member)) yield value.with(index, changed)
    }
  } else if (isTable(value)) {
    for (const [name, member] of Object.entries(value)) {
      for (const changed of mutations(member)) yield { ...value, [name]: changed }
    }
  }
}

test.each([
  { name: 'the status', schema: statusSchema, isValid: isStatus, example: STATUS },
  { name: 'a user', schema: sessionUserSchema, isValid: isSessionUser, example: USER },
  {
    name: 'a user who logged in',
    schema: sessionEndpoints.login.parts.data,
    isValid: isSignIn,
    example: USER,
  },
  {
    name: 'a second step',
    schema: sessionEndpoints.login.parts.data,
    isValid: isSignIn,
    example: PENDING,
  },
])('$name is accepted as the schema does', ({ schema, isValid, example }) => {
  expect(schema.safeParse(example).success).toBe(true)
  expect(isValid({ ...example, ofAnotherVersion: 1 })).toBe(true)
  const all = [...mutations(example)]
  expect(all.length).toBeGreaterThan(WRONG.length * Object.keys(example).length)
  const differing = all.filter((value) => isValid(value) !== schema.safeParse(value).success)
  expect(differing).toEqual([])
})
