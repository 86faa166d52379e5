import { TagsInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { splitList } from '../../lib/format.ts'
import { type FieldProps, useOptionField } from './field-props.ts'

/** Enter adds what was typed; what is empty or there already is ignored. */
export function DomainsField(props: FieldProps) {
  const { t } = useTranslation()
  const { field, label, error } = useOptionField(props)
  return (
    <TagsInput
      {...field}
      label={label}
      error={error}
      description={error === undefined ? t('settings.hint.domains') : undefined}
      value={splitList(field.value)}
      onChange={(names) => field.onChange(splitList(names.join(',').toLowerCase()).join(','))}
      splitChars={[',', ' ']}
      onKeyDown={(event) => {
        // Here Enter adds; it saves only together with Ctrl or ⌘.
        if (event.key === 'Enter') event.preventDefault()
      }}
    />
  )
}
