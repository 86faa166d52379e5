/** Second factors of an account. A recovery code replaces the authenticator app once. */
export const FACTORS = ['totp', 'passkey', 'recovery_code'] as const

export type Factor = (typeof FACTORS)[number]

/** How a logged-in user can confirm. The password works only without a second factor. */
export const CONFIRMATION_WAYS = ['password', ...FACTORS] as const

export type ConfirmationWay = (typeof CONFIRMATION_WAYS)[number]
