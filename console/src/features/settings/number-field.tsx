import { NumberInput } from '@mantine/core'
import type { OptionKey } from '@tollgate/contract'
import { formatMoney, MONEY_DIGITS } from '../../lib/format.ts'
import { type FieldProps, useOptionField } from './field-props.ts'
import { numberLimits } from './number-limits.ts'
import { useOptionsHere } from './option-context.ts'
import { useOptionHint } from './use-option-hint.ts'

const STEPS: Partial<Record<OptionKey, number>> = { QuotaPerUnit: 0.01 }

/** Quota amounts, shown with their value in money. */
const QUOTAS: readonly OptionKey[] = [
  'QuotaForNewUser',
  'QuotaForInviter',
  'QuotaForInvitee',
  'QuotaRemindThreshold',
]

const PLACEHOLDERS: Partial<Record<OptionKey, string>> = { SMTPPort: '587' }

/** Numbers that are not quantities and have no thousands separators. */
const NAMES: readonly OptionKey[] = ['SMTPPort']

export function NumberField(props: FieldProps) {
  const { name } = props
  const { stored } = useOptionsHere()
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(name)
  const { min, max, isWhole } = numberLimits(name)
  const draft = field.value
  const perUnit = Number(stored['QuotaPerUnit'])
  const worth = formatMoney(Number(draft) || 0, perUnit, MONEY_DIGITS.list)
  return (
    <NumberInput
      {...field}
      label={label}
      error={error}
      description={error === undefined ? hint : undefined}
      // Unfinished input such as "1." stays as typed.
      value={draft !== '' && String(Number(draft)) === draft ? Number(draft) : draft}
      onChange={(value) => field.onChange(String(value))}
      min={min}
      max={max}
      step={STEPS[name] ?? 1}
      clampBehavior="none"
      allowDecimal={!isWhole}
      allowNegative={false}
      thousandSeparator={NAMES.includes(name) ? '' : ','}
      placeholder={PLACEHOLDERS[name] ?? ''}
      {...(QUOTAS.includes(name) && {
        rightSection: <span className="numbers">{worth}</span>,
        rightSectionWidth: 'auto',
        rightSectionProps: { style: { paddingInline: 12, fontSize: 12 } },
        rightSectionPointerEvents: 'none',
        hideControls: true,
      })}
    />
  )
}
