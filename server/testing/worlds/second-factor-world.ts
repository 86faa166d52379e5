import { TOTP } from 'otpauth'
import { z } from 'zod'
import { ROLE } from '@tollgate/contract'
import { newTicket } from '../../src/secrets.ts'
import { insertTicket } from '../../src/store/tickets.ts'
import { type Authenticator, createAuthenticator, type Faults } from '../fakes/authenticator.ts'
import type { DatabaseKind } from '../harness/databases.ts'
import {
  type Answer,
  type Call,
  type ControlPlane,
  done,
  newAddress,
  openControlPlane,
  type Person,
} from './control-plane.ts'
import { setRow } from './rows.ts'

export const PASSWORD = 'correct horse'

const STEP_MS = 30_000
const TICKET_SECONDS = 300

const pendingSchema = z.object({
  require_2fa: z.literal(true),
  ticket: z.string(),
  factors: z.array(z.string()),
})
const challengeSchema = z.object({ ticket: z.string(), options: z.looseObject({}) })
const codesSchema = z.object({ recovery_codes: z.array(z.string()) })
const totpSchema = z.object({ secret: z.string(), uri: z.string() })
const passkeySchema = z.object({ passkey: z.object({ id: z.int(), name: z.string() }) })

export type SecondFactorWorld = Awaited<ReturnType<typeof openSecondFactorWorld>>

/** Cookies, headers and address of a person's browser. */
type Holding = Pick<Call, 'address' | 'headers'> & { as?: Person | string }

/** The control plane, with people who have passwords, authenticator apps and passkeys. */
export const openSecondFactorWorld = async (kind: DatabaseKind) =>
  peopleOf(await openControlPlane(kind))

/** The same on an existing control plane. */
export async function peopleOf(plane: ControlPlane) {
  const password_hash = await plane.passwords.hash(PASSWORD)
  return {
    plane,
    newAddress,
    addPerson: async (role: number = ROLE.user): Promise<Person & { email: string }> => {
      const person = await plane.addPerson(role)
      const email = `${person.username}@example.com`
      await setRow(plane, 'users', person.id, { password_hash, email })
      return { ...person, email }
    },
    ...setUpOn(plane),
    ...signInOn(plane),
    pendingIn: (answer: Answer) => pendingSchema.parse(answer.data),
    secretIn: (answer: Answer) => totpSchema.parse(answer.data).secret,
    challenge: (answer: Answer) => challengeSchema.parse(answer.data),
    close: plane.close,
  }
}

function setUpOn(plane: ControlPlane) {
  /** Advances the clock by one TOTP step, so that the last code expires. */
  const nextStep = () => {
    plane.clock.now += STEP_MS
  }
  const codeOf = (secret: string, offsetMs = 0) =>
    new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({
      timestamp: plane.clock.now + offsetMs,
    })
  const beginPasskey = async (person: Person, holding: Holding = {}) => {
    const sent = { as: person, ...holding }
    const answer = await plane.call('POST', '/api/user/2fa/passkey/options', sent)
    return challengeSchema.parse(done(answer).data)
  }
  /** Registers a passkey with the faults of an authenticator. */
  const createPasskey = async (
    person: Person,
    faults: Faults = {},
    { authenticator = createAuthenticator(), ...holding }: PasskeyMaking = {},
  ) => {
    const { ticket, options } = await beginPasskey(person, holding)
    const body = { ticket, name: 'phone', response: authenticator.create(options, faults) }
    return plane.call('POST', '/api/user/2fa/passkey', { as: person, body, ...holding })
  }
  return {
    nextStep,
    codeOf,
    beginPasskey,
    createPasskey,
    /** The second factors of a person, as the settings show them. */
    factorsOf: async (as: Person) => (await plane.call('GET', '/api/user/2fa', { as })).data,
    /** Sets up an authenticator app and uses its first code. */
    addTotp: async (person: Person) => {
      const begun = done(await plane.call('POST', '/api/user/2fa/totp', { as: person }))
      const { secret, uri } = totpSchema.parse(begun.data)
      const body = { code: codeOf(secret) }
      const enabled = done(await plane.call('PUT', '/api/user/2fa/totp', { as: person, body }))
      const { recovery_codes } = codesSchema.parse(enabled.data)
      nextStep()
      return { secret, uri, recovery_codes }
    },
    addPasskey: async (
      person: Person,
      { authenticator = createAuthenticator(), ...holding }: PasskeyMaking = {},
    ) => {
      const made = done(await createPasskey(person, {}, { authenticator, ...holding }))
      const { passkey } = passkeySchema.parse(made.data)
      const { recovery_codes } = codesSchema.parse(made.data)
      return { authenticator, id: passkey.id, recovery_codes }
    },
  }
}

type PasskeyMaking = Holding & { authenticator?: Authenticator }

type PasskeyUse = Holding & { ticket?: string; faults?: Faults }

function signInOn(plane: ControlPlane) {
  const logIn = (person: Person, holding: Holding = { address: newAddress() }) =>
    plane.call('POST', '/api/user/login', {
      body: { username: person.username, password: PASSWORD },
      ...holding,
    })
  return {
    logIn,
    /** Logs in with the password; returns the ticket for the second factor. */
    pending: async (person: Person, holding?: Holding) =>
      pendingSchema.parse(done(await logIn(person, holding)).data),
    /** Inserts a login ticket directly, to save the cost of hashing a password. */
    ticketOf: (person: Person) =>
      plane.database.transaction(async (tx) => {
        const ticket = newTicket()
        const now = Math.floor(plane.clock.now / 1000)
        await insertTicket(tx, {
          ticket_hash: plane.secrets.hashTicket(ticket),
          purpose: 'sign_in',
          user_id: person.id,
          created_time: now,
          expires_at: now + TICKET_SECONDS,
        })
        return ticket
      }),
    signInByCode: (
      body: { ticket: string; code: string },
      holding: Holding = { address: newAddress() },
    ) => plane.call('POST', '/api/user/login/2fa', { body, ...holding }),
    /** Logs in with a passkey, as the second factor of a ticket or without a password. */
    signInByPasskey: async (
      authenticator: Authenticator,
      { ticket: signIn = '', faults = {}, ...holding }: PasskeyUse = {},
    ) => {
      const held = { address: newAddress(), ...holding }
      const path = '/api/user/login/passkey'
      const sent = { body: { ticket: signIn }, ...held }
      const begun = await plane.call('POST', `${path}/options`, sent)
      if (begun.success !== true) return begun
      const { ticket, options } = challengeSchema.parse(begun.data)
      const body = { ticket, response: authenticator.get(options, faults) }
      return plane.call('POST', path, { body, ...held })
    },
  }
}

/** The value that a response sets for a cookie; empty if it sets none. */
export function cookieIn({ headers }: Answer, name: string): string {
  const lines = [headers['set-cookie']].flat().map(String)
  return lines.flatMap((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1] ?? []).join('')
}
