import { z } from 'zod'
import { endpoint, idParams } from './endpoint.ts'
import { id, seconds } from './units.ts'
import { sessionUserSchema, textOf } from './user-fields.ts'

/** Second factors of an account. A recovery code replaces the authenticator app once. */
export const FACTORS = ['totp', 'passkey', 'recovery_code'] as const

export type Factor = (typeof FACTORS)[number]

/** How long a sign-in or a confirmation counts before an endpoint that is marked `confirmed`. */
export const CONFIRMATION_SECONDS = 10 * 60

/** How a signed-in user confirms who they are; the password counts only without a second factor. */
export const CONFIRMATION_WAYS = ['password', ...FACTORS] as const

export type ConfirmationWay = (typeof CONFIRMATION_WAYS)[number]

/** Answers a sign-in whose account has a second factor: the ticket stands for the first one. */
const pendingSignIn = z.object({
  require_2fa: z.literal(true),
  ticket: z.string(),
  factors: z.array(z.enum(FACTORS)),
})

export type PendingSignIn = z.output<typeof pendingSignIn>

/** What every way to sign in answers. */
export const signInResult = z.union([sessionUserSchema, pendingSignIn])

const ticket = z.string().max(200)

/** A code of the authenticator app, or a recovery code. Spaces and hyphens do not count. */
const code = z.string().trim().min(1).max(40)

/** WebAuthn's JSON forms, which the libraries on both sides make and read. */
const webAuthnOptions = z.object({ ticket: z.string(), options: z.looseObject({}) })
const webAuthnResponse = z
  .looseObject({ id: z.string().max(2048) })
  .meta({ examples: [{ id: 'QUJD', type: 'public-key', response: {} }] })

/** In characters. */
const PASSKEY_NAME_LENGTH_MAX = 40

const passkeyName = textOf(1, PASSKEY_NAME_LENGTH_MAX)

const passkeySchema = z.object({
  id,
  name: z.string(),
  created_time: seconds,
  /** 0 for never. */
  last_used_time: seconds,
})

export type Passkey = z.output<typeof passkeySchema>

/** One of password, code, or ticket with response; of several the first counts. */
const confirmation = z.object({
  password: z.string().min(1).max(100).optional(),
  code: code.optional(),
  ticket: ticket.optional(),
  response: webAuthnResponse.optional(),
})

const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

const secondFactorSchema = z.object({
  totp: z.boolean(),
  recovery_codes_left: z.int().min(0),
  passkeys: z.array(passkeySchema),
  /** The option SecondFactorRequired applies to this account. */
  required: z.boolean(),
})

export type SecondFactor = z.output<typeof secondFactorSchema>

const ownSessionSchema = z.object({
  id,
  is_current: z.boolean(),
  created_time: seconds,
  last_seen_time: seconds,
  /** The address it was last seen from. */
  address: z.string(),
  /** The browser's own name for itself (User-Agent), cut to 200 characters. */
  user_agent: z.string(),
})

export type OwnSession = z.output<typeof ownSessionSchema>

/** Signing in with a second factor, or with a passkey alone. */
export const secondFactorSignInEndpoints = {
  signInByCode: endpoint('POST', '/api/user/login/2fa', 'public', {
    body: z.object({ ticket, code }),
    data: sessionUserSchema,
  }),
  /** Without a ticket the passkey alone signs in, and the browser offers those it has. */
  beginPasskeySignIn: endpoint('POST', '/api/user/login/passkey/options', 'public', {
    body: z.object({ ticket: ticket.default('') }),
    data: webAuthnOptions,
  }),
  signInByPasskey: endpoint('POST', '/api/user/login/passkey', 'public', {
    body: z.object({ ticket, response: webAuthnResponse }),
    data: sessionUserSchema,
  }),
} as const

const own = { beforeSecondFactor: true } as const

/** A thief of an access token gets no further way into the account by it. */
const ownFactors = { ...own, sessionOnly: true } as const
const confirmedFactors = { ...ownFactors, confirmed: true } as const

/** Second factors, confirmations and sessions of one's own account. */
export const secondFactorEndpoints = {
  getSecondFactor: endpoint('GET', '/api/user/2fa', 'user', {
    data: secondFactorSchema,
    ...ownFactors,
  }),
  /** The secret counts once `enableTotp` has seen a code of it. */
  beginTotp: endpoint('POST', '/api/user/2fa/totp', 'user', {
    data: z.object({ secret: z.string(), uri: z.string() }),
    ...confirmedFactors,
  }),
  /** Answers recovery codes unless the account has some. */
  enableTotp: endpoint('PUT', '/api/user/2fa/totp', 'user', {
    body: z.object({ code }),
    data: recoveryCodes,
    ...confirmedFactors,
  }),
  disableTotp: endpoint('DELETE', '/api/user/2fa/totp', 'user', confirmedFactors),
  /** Replaces those there were. */
  createRecoveryCodes: endpoint('POST', '/api/user/2fa/recovery_codes', 'user', {
    data: recoveryCodes,
    ...confirmedFactors,
  }),
  beginPasskey: endpoint('POST', '/api/user/2fa/passkey/options', 'user', {
    data: webAuthnOptions,
    ...confirmedFactors,
  }),
  /**
   * Answers recovery codes unless the account has some. The ticket proves the confirmation, so that
   * it may run out while the browser waits for its user.
   */
  createPasskey: endpoint('POST', '/api/user/2fa/passkey', 'user', {
    body: z.object({ ticket, name: passkeyName, response: webAuthnResponse }),
    data: z.object({ passkey: passkeySchema, ...recoveryCodes.shape }),
    ...ownFactors,
  }),
  renamePasskey: endpoint('PUT', '/api/user/2fa/passkey', 'user', {
    body: z.object({ id, name: passkeyName }),
    data: passkeySchema,
    ...ownFactors,
  }),
  deletePasskey: endpoint('DELETE', '/api/user/2fa/passkey/:id', 'user', {
    params: idParams,
    ...confirmedFactors,
  }),

  /** How this session may confirm, and until when it has. */
  getConfirmation: endpoint('GET', '/api/user/confirm', 'user', {
    data: z.object({
      /** 0 for a session that has not. */
      confirmed_until: seconds,
      ways: z.array(z.enum(CONFIRMATION_WAYS)),
    }),
    ...own,
  }),
  beginPasskeyConfirmation: endpoint('POST', '/api/user/confirm/passkey', 'user', {
    data: webAuthnOptions,
    ...ownFactors,
  }),
  confirm: endpoint('POST', '/api/user/confirm', 'user', {
    body: confirmation,
    data: z.object({ confirmed_until: seconds }),
    ...ownFactors,
  }),

  listSessions: endpoint('GET', '/api/user/sessions', 'user', {
    data: z.array(ownSessionSchema),
    ...own,
  }),
  /** Ends all but the caller's. */
  endOtherSessions: endpoint('DELETE', '/api/user/sessions', 'user', own),
  endSession: endpoint('DELETE', '/api/user/sessions/:id', 'user', { params: idParams, ...own }),
} as const
