import type { Generated } from 'kysely'

/** One row per account that has set up a second factor, or has begun to. */
export type SecondFactorsTable = {
  user_id: number
  /** Names the account to authenticators; random, base64url. */
  user_handle: string
  /** Empty without an authenticator app. */
  totp_sealed: Generated<string>
  /** The last time step of which a code was accepted. */
  totp_step: Generated<number>
  /** A secret of which no code has been seen yet. */
  pending_totp_sealed: Generated<string>
  pending_totp_until: Generated<number>
}

/** Unused codes alone. */
export type RecoveryCodesTable = { user_id: number; code_hash: string }

export type PasskeysTable = {
  id: Generated<number>
  user_id: number
  /** base64url, as is the public key in COSE form. */
  credential_id: string
  /** The host name it was made for. */
  rp_id: string
  public_key: string
  counter: number
  /** Comma-separated, as the browser named them. */
  transports: string
  name: string
  created_time: number
  /** 0 for never. */
  last_used_time: Generated<number>
}

/** Proof of a first factor, or a challenge to a passkey; used once. */
export type AuthTicketsTable = {
  ticket_hash: string
  /** `TicketPurpose` of the store. */
  purpose: string
  /** 0 for a challenge to any passkey. */
  user_id: number
  /** The sign-in that a challenge belongs to; empty for none. */
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
  /** Written at most once a minute, with the two after it. */
  last_seen_time: number
  address: string
  user_agent: string
  /** When the user last proved who they are; 0 for a session of an earlier version. */
  confirmed_at: number
}
