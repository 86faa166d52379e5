import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'
import { QUOTA_MAX, receiptDigits } from '@tollgate/contract'
import { useTranslation } from '../i18n/use-translation.ts'
import { formatDollars, formatNumber, type MoneySettings, NO_VALUE } from '../lib/format.ts'
import './quota-field.messages.ts'

type Props = Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max'> & {
  /** In units. An empty field is NaN, which forms reject, not 0. */
  value: number
  onChange: (quota: number) => void
  money: MoneySettings
}

/** More units would cover the dollars on a phone. */
const UNITS_SHOWN_MAX = 999_999_999_999

/** Quota in dollars, followed by its units, or in units, followed by its dollars. */
export function QuotaField({ value, onChange, money, ...rest }: Props) {
  const { t } = useTranslation()
  const { quotaPerUnit, inCurrency } = money
  const perUnit = inCurrency ? quotaPerUnit : 1
  const unitsOf = (typed: string | number) =>
    typed === '' ? Number.NaN : Math.round(Number(typed) * perUnit)
  const fieldOf = (units: number) => (Number.isNaN(units) ? '' : units / perUnit)
  // What is typed stays as it is: "1.0" must not become "1" before the next digit.
  const [typed, setTyped] = useState<string | number>(() => fieldOf(value))
  const shown = Object.is(unitsOf(typed), value) ? typed : fieldOf(value)
  return (
    <NumberInput
      {...rest}
      value={shown}
      onChange={(next) => {
        setTyped(next)
        onChange(unitsOf(next))
      }}
      min={0}
      max={QUOTA_MAX / perUnit}
      // Forms say what is wrong. A field that drops the sign of -5 would save 5.
      clampBehavior="none"
      thousandSeparator=","
      hideControls
      {...(inCurrency
        ? { prefix: '$', decimalScale: receiptDigits(quotaPerUnit), inputMode: 'decimal' }
        : { allowDecimal: false })}
      rightSection={<span className="numbers">{counterpart()}</span>}
      rightSectionWidth="auto"
      rightSectionProps={{ style: { paddingInline: 12, fontSize: 12 } }}
      rightSectionPointerEvents="none"
    />
  )

  function counterpart() {
    if (Number.isNaN(value)) return NO_VALUE
    if (inCurrency && value > UNITS_SHOWN_MAX) return null
    return inCurrency
      ? t('quotaField.units.text', { number: formatNumber(value) })
      : formatDollars(value, quotaPerUnit)
  }
}
