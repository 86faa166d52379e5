import { z } from 'zod'
import { CONFIRMATION_WAYS, FACTORS } from './confirmation-ways.ts'
import { endpoint, idParams } from './endpoint.ts'
import { id, seconds } from './units.ts'
import { sessionUserSchema, textOf } from './user-fields.ts'

/** How long a login or confirmation is valid for endpoints marked `confirmed`. */
export const CONFIRMATION_SECONDS = 10 * 60

/** First step of a login with a second factor. The ticket proves that the first factor passed. */
const pendingSignIn = z.object({
  require_2fa: z.literal(true),
  ticket: z.string(),
  factors: z.array(z.enum(FACTORS)),
})

export type PendingSignIn = z.output<typeof pendingSignIn>

export const signInResult = z.union([sessionUserSchema, pendingSignIn])

const ticket = z.string().max(200)

/** A code of the authenticator app, or a recovery code. Spaces and hyphens are ignored. */
const code = z.string().trim().min(1).max(40)

/** WebAuthn's JSON forms, which the libraries on both sides produce and parse. */
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
  /** 0 if never used. */
  last_used_time: seconds,
})

export type Passkey = z.output<typeof passkeySchema>

/** One of password, code, or ticket with response; the first one present is used. */
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
  /** Whether the option SecondFactorRequired applies to this account. */
  required: z.boolean(),
})

export type SecondFactor = z.output<typeof secondFactorSchema>

const ownSessionSchema = z.object({
  id,
  is_current: z.boolean(),
  created_time: seconds,
  last_seen_time: seconds,
  /** IP address of the last request. */
  address: z.string(),
  /** User-Agent, truncated to 200 characters. */
  user_agent: z.string(),
})

export type OwnSession = z.output<typeof ownSessionSchema>

export const secondFactorSignInEndpoints = {
  signInByCode: endpoint('POST', '/api/user/login/2fa', 'public', {
    body: z.object({ ticket, code }),
    data: sessionUserSchema,
  }),
  /** Without a ticket the passkey alone logs in and the browser offers the passkeys it has. */
  beginPasskeySignIn: endpoint('POST', '/api/user/login/passkey/options', 'public', {
    body: z.object({ ticket: ticket.default('') }),
    data: webAuthnOptions,
  }),
  signInByPasskey: endpoint('POST', '/api/user/login/passkey', 'public', {
    body: z.object({ ticket, response: webAuthnResponse }),
    data: sessionUserSchema,
  }),
} as const

const allowedBeforeFactor = { beforeSecondFactor: true } as const

/** A stolen access token must not add further ways into the account. */
const ownFactors = { ...allowedBeforeFactor, sessionOnly: true } as const
const confirmedFactors = { ...ownFactors, confirmed: true } as const

export const secondFactorEndpoints = {
  getSecondFactor: endpoint('GET', '/api/user/2fa', 'user', {
    data: secondFactorSchema,
    ...ownFactors,
  }),
  /** The secret takes effect when `enableTotp` has verified a code. */
  beginTotp: endpoint('POST', '/api/user/2fa/totp', 'user', {
    data: z.object({ secret: z.string(), uri: z.string() }),
    ...confirmedFactors,
  }),
  /** Returns recovery codes unless the account already has some. */
  enableTotp: endpoint('PUT', '/api/user/2fa/totp', 'user', {
    body: z.object({ code }),
    data: recoveryCodes,
    ...confirmedFactors,
  }),
  disableTotp: endpoint('DELETE', '/api/user/2fa/totp', 'user', confirmedFactors),
  /** Replaces the existing recovery codes. */
  createRecoveryCodes: endpoint('POST', '/api/user/2fa/recovery_codes', 'user', {
    data: recoveryCodes,
    ...confirmedFactors,
  }),
  beginPasskey: endpoint('POST', '/api/user/2fa/passkey/options', 'user', {
    data: webAuthnOptions,
    ...confirmedFactors,
  }),
  /**
   * Returns recovery codes unless the account already has some. The ticket proves the confirmation,
   * which may expire while the browser waits for its user.
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

  /** Ways this session may confirm, and until when it is confirmed. */
  getConfirmation: endpoint('GET', '/api/user/confirm', 'user', {
    data: z.object({
      /** 0 for an unconfirmed session. */
      confirmed_until: seconds,
      ways: z.array(z.enum(CONFIRMATION_WAYS)),
    }),
    ...allowedBeforeFactor,
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
    ...allowedBeforeFactor,
  }),
  endOtherSessions: endpoint('DELETE', '/api/user/sessions', 'user', allowedBeforeFactor),
  endSession: endpoint('DELETE', '/api/user/sessions/:id', 'user', {
    params: idParams,
    ...allowedBeforeFactor,
  }),
} as const
