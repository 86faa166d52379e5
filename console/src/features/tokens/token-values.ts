import { z } from 'zod'
import { NEVER, quota, type Token, tokenDraft } from '@tollgate/contract'
import { checked } from '../../lib/form.ts'
import { formatTime, parseTime, splitList } from '../../lib/format.ts'

const NEW_TOKEN_QUOTA = 500_000

const { name, subnet } = tokenDraft.shape

export const tokenForm = z.object({
  name: checked(name.min(1), 'token.form.nameError'),
  remain_quota: checked(quota, 'token.form.remainError'),
  unlimited_quota: z.boolean(),
  expires: z.string().refine((text) => text.trim() === '' || parseTime(text) !== null, {
    error: 'token.form.expiresError',
  }),
  models: z.array(z.string()),
  subnet: z.string().refine((text) => subnet.safeParse(text).success, {
    error: 'token.form.subnetError',
  }),
})

export type TokenValues = z.output<typeof tokenForm>

export const newTokenValues: TokenValues = {
  name: '',
  remain_quota: NEW_TOKEN_QUOTA,
  unlimited_quota: false,
  expires: '',
  models: [],
  subnet: '',
}

export const valuesOf = (token: Token): TokenValues => ({
  name: token.name,
  remain_quota: token.remain_quota,
  unlimited_quota: token.unlimited_quota,
  expires: token.expired_time === NEVER ? '' : formatTime(token.expired_time),
  models: splitList(token.models),
  subnet: token.subnet,
})

/** What is sent: the expiry in seconds, the models joined. */
export function draftOf({ expires, models, ...rest }: TokenValues) {
  const time = expires.trim() === '' ? NEVER : parseTime(expires)
  if (time === null) throw new Error(`The form let an unreadable time pass: ${expires}`)
  return { ...rest, expired_time: time, models: models.join(',') }
}
