import { NumberInput } from '@mantine/core'
import { OPTIONS, optionText } from '@tollgate/contract'
import { formatMoney, MONEY_DIGITS } from '../../lib/format.ts'
import { type FieldProps, useOptionField } from './field-props.ts'
import { numberLimits } from './number-limits.ts'
import { useOptionContext } from './option-context.ts'
import { useOptionHint } from './use-option-hint.tsx'

export function NumberField(props: FieldProps) {
  const { name } = props
  const { stored } = useOptionContext()
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(name)
  const { min, max, step, isWhole } = numberLimits(name)
  const { editor } = OPTIONS[name]
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
      step={step}
      clampBehavior="none"
      allowDecimal={!isWhole}
      allowNegative={false}
      thousandSeparator={editor === 'port' ? '' : ','}
      placeholder={editor === 'port' ? optionText(OPTIONS[name].default) : ''}
      {...(editor === 'quota' && {
        rightSection: <span className="numbers">{worth}</span>,
        rightSectionWidth: 'auto',
        rightSectionProps: { style: { paddingInline: 12, fontSize: 12 } },
        rightSectionPointerEvents: 'none',
        hideControls: true,
      })}
    />
  )
}
