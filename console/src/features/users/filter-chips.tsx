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
      <Balance
        // The address may change without the fields.
        key={`${filter.quota_min} ${filter.quota_max}`}
        filter={filter}
        onChange={onChange}
      />
    </>
  )
}

/** A value in the address is shown although there is no such group any more. */
const withChosen = (values: readonly string[], chosen: string) =>
  chosen === '' || values.includes(chosen) ? [...values] : [chosen, ...values]

type Typed = { quota_min: number | string; quota_max: number | string }

/** Balances between two amounts of money, applied when the field is left or with Enter. */
function Balance({ filter, onChange }: Props) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const shownOf = (quota: string) => (quota === '' ? '' : Number(quota) / quotaPerUnit)
  const [typed, setTyped] = useState<Typed>({
    quota_min: shownOf(filter.quota_min),
    quota_max: shownOf(filter.quota_max),
  })
  const apply = (name: 'quota_min' | 'quota_max') => {
    const amount = typed[name]
    const quota = amount === '' ? '' : String(Math.round(Number(amount) * quotaPerUnit))
    if (quota !== filter[name]) onChange({ [name]: quota })
  }
  return (['quota_min', 'quota_max'] as const).map((name) => (
    <NumberInput
      key={name}
      size="sm"
      className={classes['amount'] ?? ''}
      aria-label={t(`user.filter.${name}`)}
      placeholder={t(`user.filter.${name}`)}
      data-chosen={filter[name] !== '' || undefined}
      prefix="$"
      min={0}
      max={QUOTA_MAX / quotaPerUnit}
      hideControls
      value={typed[name]}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
      onBlur={() => apply(name)}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply(name)
      }}
    />
  ))
}
