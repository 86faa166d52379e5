import { z } from 'zod'
import { type Redemption, REDEMPTION_STATUS, redemptionDraft } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { checked } from '../../lib/form.ts'
import { formatTime, parseTime } from '../../lib/format.ts'
import { nowSeconds } from '../../lib/server-clock.ts'

const NEW_CODE_QUOTA = 100_000

const { name, quota, count } = redemptionDraft.shape

export const redemptionForm = z.object({
  name: checked(name, 'redemption.form.nameError'),
  quota: checked(quota, 'redemption.form.quotaError'),
  batch: checked(z.string().trim().max(20), 'redemption.form.batchError'),
  count: checked(count.unwrap(), 'redemption.form.countError'),
  expires: z
    .string()
    .refine((text) => text.trim() === '' || (parseTime(text) ?? 0) > nowSeconds(), {
      error: 'redemption.form.expiresError' satisfies MessageKey,
    }),
})

export type RedemptionValues = z.output<typeof redemptionForm>

export const newRedemptionValues: RedemptionValues = {
  name: '',
  quota: NEW_CODE_QUOTA,
  batch: '',
  count: 1,
  expires: '',
}

export const valuesOf = ({
  name: named,
  quota: worth,
  expired_time,
}: Redemption): RedemptionValues => ({
  name: named,
  quota: worth,
  batch: '',
  count: 1,
  expires: expired_time === 0 ? '' : formatTime(expired_time),
})

/** The form's name of a field of the API. */
export const fieldOf = (path: string) => (path === 'expired_time' ? 'expires' : path)

/** Request body: expiry in epoch seconds, 0 for never. */
export const draftOf = ({ expires, batch, ...rest }: RedemptionValues) => ({
  ...rest,
  ...(batch !== '' && { batch }),
  expired_time: expires.trim() === '' ? 0 : (parseTime(expires) ?? 0),
})

/** The status of a code now: one that is unused may have expired. */
export const hasExpired = ({ status, expired_time }: Redemption, now: number): boolean =>
  status === REDEMPTION_STATUS.enabled && expired_time !== 0 && expired_time <= now

/** Codes created together share a name; the id distinguishes them. */
export const labelOf = ({ id, name: named }: Pick<Redemption, 'id' | 'name'>) => `${named} #${id}`
