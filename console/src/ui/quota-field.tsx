import { NumberInput, type NumberInputProps } from '@mantine/core'
import { QUOTA_MAX } from '@tollgate/contract'
import { formatMoney, MONEY_DIGITS, type MoneySettings, NO_VALUE } from '../lib/format.ts'

type Props = Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max'> & {
  value: number
  onChange: (quota: number) => void
  money: MoneySettings
}

/** Quota in units, with its value in money. An empty field is NaN, which forms reject, not 0. */
export function QuotaField({ value, onChange, money, ...rest }: Props) {
  const isEmpty = Number.isNaN(value)
  return (
    <NumberInput
      {...rest}
      value={isEmpty ? '' : value}
      onChange={(next) => onChange(next === '' ? Number.NaN : Number(next))}
      min={0}
      max={QUOTA_MAX}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator=","
      hideControls
      rightSection={
        <span className="numbers">
          {isEmpty ? NO_VALUE : formatMoney(value, money.quotaPerUnit, MONEY_DIGITS.list)}
        </span>
      }
      rightSectionWidth="auto"
      rightSectionProps={{ style: { paddingInline: 12, fontSize: 12 } }}
      rightSectionPointerEvents="none"
    />
  )
}
