import { NumberInput, type NumberInputProps } from '@mantine/core'
import { QUOTA_MAX } from '@tollgate/contract'
import { formatMoney, MONEY_DIGITS, type MoneySettings } from '../lib/format.ts'

type Props = Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max'> & {
  value: number
  onChange: (quota: number) => void
  money: MoneySettings
}

/** A quota in units, with its worth beside it. */
export function QuotaField({ value, onChange, money, ...rest }: Props) {
  return (
    <NumberInput
      {...rest}
      value={value}
      onChange={(next) => onChange(typeof next === 'number' ? next : Number(next || 0))}
      min={0}
      max={QUOTA_MAX}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator=","
      hideControls
      rightSection={
        <span className="numbers">{formatMoney(value, money.quotaPerUnit, MONEY_DIGITS.list)}</span>
      }
      rightSectionWidth="auto"
      rightSectionProps={{ style: { paddingInline: 12, fontSize: 12 } }}
      rightSectionPointerEvents="none"
    />
  )
}
