import { splitList } from '../../lib/format.ts'
import { TagsField } from '../../ui/tags-field.tsx'
import { type FieldProps, useOptionField } from './field-props.ts'
import { useOptionHint } from './use-option-hint.tsx'

const NONE: readonly string[] = []

/** Enter adds the typed domain. Empty and duplicate entries are ignored. */
export function DomainsField(props: FieldProps) {
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(props.name)
  const domains = splitList(field.value)
  return (
    <TagsField
      {...field}
      data={NONE}
      label={label}
      error={error}
      description={error === undefined ? hint : undefined}
      value={domains}
      onChange={(names) => field.onChange(splitList(names.join(',').toLowerCase()).join(','))}
      splitChars={[',', '，', ' ', '\n']}
      onKeyDown={(event) => {
        // Enter only adds domains here; Ctrl or ⌘ + Enter saves.
        const isEmpty = event.currentTarget.value.trim() === ''
        if (event.key === 'Enter' && isEmpty) event.preventDefault()
      }}
    />
  )
}
