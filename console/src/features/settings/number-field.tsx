import { NumberInput } from '@mantine/core'
import { OPTIONS, optionText } from '@tollgate/contract'
import { QuotaField } from '../../ui/quota-field.tsx'
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
  const description = error === undefined ? hint : undefined
  if (editor === 'quota') {
    const money = {
      quotaPerUnit: Number(stored['QuotaPerUnit']),
      inCurrency: stored['DisplayInCurrencyEnabled'] === 'true',
    }
    return (
      <QuotaField
        {...field}
        label={label}
        error={error}
        description={description}
        money={money}
        value={draft === '' ? Number.NaN : Number(draft)}
        onChange={(quota) => field.onChange(Number.isNaN(quota) ? '' : String(quota))}
      />
    )
  }
  return (
    <NumberInput
      {...field}
      label={label}
      error={error}
      description={description}
      // Unfinished input such as "1." stays as typed.
      value={draft !== '' && String(Number(draft)) === draft ? Number(draft) : draft}
      onChange={(value) => field.onChange(String(value))}
      min={min}
      max={max}
      step={step}
      clampBehavior="none"
      allowDecimal={!isWhole}
      thousandSeparator={editor === 'port' ? '' : ','}
      placeholder={editor === 'port' ? optionText(OPTIONS[name].default) : ''}
    />
  )
}
