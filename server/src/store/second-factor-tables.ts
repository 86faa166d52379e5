import type { Generated } from 'kysely'

/** One row per account that has a second factor or has begun to set one up. */
export type SecondFactorsTable = {
  user_id: number
  /** Identifies the account to authenticators; random, base64url. */
  user_handle: string
  /** Empty without an authenticator app. */
  totp_sealed: Generated<string>
  /** The last time step whose code was accepted. */
  totp_step: Generated<number>
  /** A secret not yet confirmed by a code. */
  pending_totp_sealed: Generated<string>
  pending_totp_until: Generated<number>
}

/** Only unused codes. */
export type RecoveryCodesTable = { user_id: number; code_hash: string }

export type PasskeysTable = {
  id: Generated<number>
  user_id: number
  /** base64url, as is the public key, which is in COSE format. */
  credential_id: string
  /** The host name that the passkey is bound to. */
  rp_id: string
  public_key: string
  counter: number
  /** Comma-separated, as reported by the browser. */
  transports: string
  name: string
  created_time: number
  /** 0 for never. */
  last_used_time: Generated<number>
}

/** Proof of a first factor, or a passkey challenge. A ticket is used once. */
export type AuthTicketsTable = {
  ticket_hash: string
  /** `TicketPurpose` of the store. */
  purpose: string
  user_id: number
  /** The login that a challenge belongs to; empty for none. */
  sign_in_hash: Generated<string>
  tries: Generated<number>
  created_time: number
  expires_at: number
}

export type SessionsTable = {
  id: Generated<number>
  /** Keyed hash of the id in the cookie. */
  id_hash: string
  user_id: number
  created_time: number
  expires_at: number
  /** Updated at most once a minute, together with the next two columns. */
  last_seen_time: number
  address: string
  user_agent: string
  /** When the user last proved their identity; 0 for a session from an earlier version. */
  confirmed_at: number
}
