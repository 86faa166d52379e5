import { z } from 'zod'
import { type Redemption, redemptionDraft } from '@tollgate/contract'
import { checked } from '../../lib/form.ts'

const NEW_CODE_QUOTA = 100_000

const { name, quota, count } = redemptionDraft.shape

export const redemptionForm = z.object({
  name: checked(name, 'redemption.form.nameError'),
  quota: checked(quota, 'redemption.form.quotaError'),
  count: checked(count.unwrap(), 'redemption.form.countError'),
})

export type RedemptionValues = z.output<typeof redemptionForm>

export const newRedemptionValues: RedemptionValues = { name: '', quota: NEW_CODE_QUOTA, count: 1 }

export const valuesOf = ({ name: named, quota: worth }: Redemption): RedemptionValues => ({
  name: named,
  quota: worth,
  count: 1,
})

/** Codes created together share a name; the id distinguishes them. */
export const labelOf = ({ id, name: named }: Pick<Redemption, 'id' | 'name'>) => `${named} #${id}`

export const maskCode = (code: string) => `${code.slice(0, 4)}…${code.slice(-4)}`
