import { Input, Text } from '@mantine/core'
import { type ReactNode, useId, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Choice } from '../../ui/choice.tsx'
import { type FieldProps, useOptionField } from './field-props.ts'
import { JsonArea } from './json-area.tsx'
import classes from './settings.module.css'
import { useOptionHint } from './use-option-hint.tsx'

type View = 'rows' | 'json'

type Props = FieldProps & {
  /** Renders the rows, or null when the text cannot be shown as rows. */
  rows: (text: string, onChange: (text: string) => void) => ReactNode | null
}

/** Table editor with a JSON view, which is forced when the text cannot be shown as rows. */
export function RowsOrJson({ rows, ...props }: Props) {
  const { t } = useTranslation()
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(props.name)
  const [view, setView] = useState<View>('rows')
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const focus = () => {
    flushSync(() => setView('json'))
    area.current?.focus()
  }
  useImperativeHandle(field.ref, () => ({ focus }))
  const content = view === 'rows' ? rows(field.value, field.onChange) : null
  return (
    <div role="group" aria-labelledby={id} onBlur={field.onBlur}>
      <div className={classes['tableHead']}>
        <Input.Label component="span" id={id}>
          {label}
        </Input.Label>
        <ViewSwitch label={label} view={view} onView={setView} />
      </div>
      {content ?? (
        <JsonArea
          ref={area}
          label={t('settings.table.jsonOf', { name: label })}
          value={field.value}
          onChange={field.onChange}
          error={error !== undefined}
        />
      )}
      {view === 'rows' && content === null && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('settings.table.noRows')}
        </Text>
      )}
      {error === undefined ? (
        hint !== undefined && <Input.Description mt={6}>{hint}</Input.Description>
      ) : (
        <Input.Error mt={6}>{error}</Input.Error>
      )}
    </div>
  )
}

type SwitchProps = { label: string; view: View; onView: (view: View) => void }

export function ViewSwitch({ label, view, onView }: SwitchProps) {
  const { t } = useTranslation()
  return (
    <Choice
      label={t('settings.table.view', { name: label })}
      value={view}
      onChange={onView}
      options={[
        { value: 'rows', label: t('settings.table.rows') },
        { value: 'json', label: 'JSON' },
      ]}
    />
  )
}
