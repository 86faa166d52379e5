import { NumberInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { QUOTA_MAX, USER_ACTIVITIES, USER_PROVIDERS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { groupsQuery } from '../../lib/groups.ts'
import { useMoney } from '../../lib/status.ts'
import { FilterChip } from '../../ui/filter-chip.tsx'
import type { UserFilter } from './user-filter.ts'
import classes from './users.module.css'

type Props = { filter: UserFilter; onChange: (change: Partial<UserFilter>) => void }

const ROLES = { user: 'roleUser', admin: 'roleAdmin', root: 'roleRoot' } as const
const STATES = { enabled: 'active', disabled: 'banned' } as const

export function FilterChips({ filter, onChange }: Props) {
  const { t } = useTranslation()
  const [isChoosing, setIsChoosing] = useState(false)
  const groups = useQuery({ ...groupsQuery, enabled: isChoosing })
  const chip = (name: 'role' | 'status' | 'group' | 'active' | 'provider') => ({
    label: t(`user.filter.${name}`),
    value: filter[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <>
      <FilterChip
        {...chip('role')}
        data={Object.entries(ROLES).map(([value, name]) => ({
          value,
          label: t(`user.list.${name}`),
        }))}
      />
      <FilterChip
        {...chip('status')}
        data={Object.entries(STATES).map(([value, name]) => ({
          value,
          label: t(`user.list.${name}`),
        }))}
      />
      <FilterChip
        {...chip('group')}
        searchable
        onDropdownOpen={() => setIsChoosing(true)}
        nothingFoundMessage={t('common.form.noResults')}
        data={withChosen(groups.data ?? [], filter.group)}
      />
      <FilterChip
        {...chip('active')}
        data={USER_ACTIVITIES.map((value) => ({ value, label: t(`user.active.${value}`) }))}
      />
      <FilterChip
        {...chip('provider')}
        data={USER_PROVIDERS.map((value) => ({ value, label: t(`user.provider.${value}`) }))}
      />
      <BalanceField name="quota_min" filter={filter} onChange={onChange} />
      <BalanceField name="quota_max" filter={filter} onChange={onChange} />
    </>
  )
}

/** A value in the address is shown although there is no such group any more. */
const withChosen = (values: readonly string[], chosen: string) =>
  chosen === '' || values.includes(chosen) ? [...values] : [chosen, ...values]

/** A balance to filter by, applied when the field is left or with Enter. */
function BalanceField({ name, filter, onChange }: Props & { name: 'quota_min' | 'quota_max' }) {
  const { t } = useTranslation()
  const { quotaPerUnit, inCurrency } = useMoney()
  const perUnit = inCurrency ? quotaPerUnit : 1
  const applied = filter[name]
  // Null unless the field is being edited.
  const [typed, setTyped] = useState<number | string | null>(null)
  const apply = () => {
    if (typed === null) return
    setTyped(null)
    const quota = typed === '' ? '' : String(Math.round(Number(typed) * perUnit))
    if (quota !== applied) onChange({ [name]: quota })
  }
  return (
    <NumberInput
      size="sm"
      className={classes['amount'] ?? ''}
      aria-label={t(`user.filter.${name}`)}
      placeholder={t(`user.filter.${name}`)}
      data-chosen={applied !== '' || undefined}
      prefix={inCurrency ? '$' : ''}
      allowDecimal={inCurrency}
      min={0}
      max={QUOTA_MAX / perUnit}
      hideControls
      value={typed ?? (applied === '' ? '' : Number(applied) / perUnit)}
      onChange={setTyped}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply()
      }}
    />
  )
}
