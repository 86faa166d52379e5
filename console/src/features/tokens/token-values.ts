import { z } from 'zod'
import { NEVER, quota, type Token, tokenDraft, tokenSchema } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { checked } from '../../lib/form.ts'
import { formatTime, parseTime, splitList } from '../../lib/format.ts'

const NEW_TOKEN_QUOTA = 500_000

const { name, subnet } = tokenDraft.shape
const budget_period = tokenSchema.shape.budget_period

const message = (key: MessageKey) => ({ error: key })

const tokenFields = z.object({
  name: z
    .string()
    .min(1, message('token.form.nameError'))
    .refine((text) => name.safeParse(text).success, message('token.form.nameLong')),
  remain_quota: checked(quota, 'token.form.remainError'),
  unlimited_quota: z.boolean(),
  budget_period,
  budget_quota: checked(quota, 'token.form.budgetError'),
  expires: z
    .string()
    .refine(
      (text) => text.trim() === '' || parseTime(text) !== null,
      message('token.form.expiresError'),
    ),
  models: z.array(z.string()),
  subnet: z
    .string()
    .refine((text) => subnet.safeParse(text).success, message('token.form.subnetError')),
})

/** A zero budget would reject every request. */
export const tokenForm = tokenFields.refine(
  ({ budget_period: period, budget_quota: amount }) => period === '' || amount > 0,
  { path: ['budget_quota'], error: 'token.form.budgetError' },
)

export type TokenValues = z.output<typeof tokenForm>

export const newTokenValues: TokenValues = {
  name: '',
  remain_quota: NEW_TOKEN_QUOTA,
  unlimited_quota: false,
  budget_period: '',
  budget_quota: NEW_TOKEN_QUOTA,
  expires: '',
  models: [],
  subnet: '',
}

export const valuesOf = (token: Token): TokenValues => ({
  name: token.name,
  remain_quota: token.remain_quota,
  unlimited_quota: token.unlimited_quota,
  budget_period: token.budget_period,
  budget_quota: token.budget_period === '' ? NEW_TOKEN_QUOTA : token.budget_quota,
  expires: token.expired_time === NEVER ? '' : formatTime(token.expired_time),
  models: splitList(token.models),
  subnet: token.subnet,
})

/** The form's name of a field of the API. */
export const fieldOf = (path: string) => (path === 'expired_time' ? 'expires' : path)

/** Request body: expiry in epoch seconds, models joined, budget 0 without a period. */
export function draftOf({ expires, models, subnet: ranges, ...rest }: TokenValues) {
  const time = expires.trim() === '' ? NEVER : parseTime(expires)
  if (time === null) throw new Error(`The form let an unreadable time pass: ${expires}`)
  const budget_quota = rest.budget_period === '' ? 0 : rest.budget_quota
  return {
    ...rest,
    budget_quota,
    expired_time: time,
    models: models.join(','),
    // Ranges contain no spaces, and Chinese keyboards write another comma.
    subnet: ranges.split(/[\s,，;；]+/).join(','),
  }
}
