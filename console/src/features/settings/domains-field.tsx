import { useTranslation } from 'react-i18next'
import { splitList } from '../../lib/format.ts'
import { TagsField } from '../../ui/tags-field.tsx'
import { type FieldProps, useOptionField } from './field-props.ts'

const NONE: readonly string[] = []

/** Enter adds what was typed; what is empty or there already is ignored. */
export function DomainsField(props: FieldProps) {
  const { t } = useTranslation()
  const { field, label, error } = useOptionField(props)
  const domains = splitList(field.value)
  return (
    <TagsField
      {...field}
      data={NONE}
      label={label}
      error={error}
      description={error === undefined ? t('settings.hint.domains') : undefined}
      value={domains}
      onChange={(names) => field.onChange(splitList(names.join(',').toLowerCase()).join(','))}
      splitChars={[',', ' ']}
      onKeyDown={(event) => {
        // Here Enter adds, and nothing when nothing was typed; it saves together with Ctrl or ⌘.
        const isEmpty = event.currentTarget.value.trim() === ''
        if (event.key === 'Enter' && isEmpty) event.preventDefault()
      }}
    />
  )
}
