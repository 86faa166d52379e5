import { Button, Input, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useRef } from 'react'
import type { ControllerRenderProps, FieldErrors } from 'react-hook-form'
import { currentLanguage } from '../../i18n/texts.ts'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { REFUSED } from '../../lib/form.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { HeaderRow } from './channel-overrides.ts'
import type { ChannelValues } from './channel-values.ts'
import classes from './channels.module.css'
import { headerProblem } from './override-rules.ts'

type Props = {
  field: ControllerRenderProps<ChannelValues, 'headers'>
  errors: FieldErrors<ChannelValues>['headers']
}

/** A row per header. The server shows `***` in place of a stored value. */
export function HeaderRows({ field: { value: rows, onChange, onBlur, ref }, errors }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const idOf = (index: number, part: keyof HeaderRow) => `${id}-${index}-${part}`
  const focus = (index: number, part: keyof HeaderRow) =>
    document.getElementById(idOf(index, part))?.focus()
  ref({
    focus: () => {
      const index = rows.findIndex((_, at) => errors?.[at] !== undefined)
      // What the server refuses names no row.
      if (index < 0) return rows.length > 0 ? focus(0, 'name') : addButton.current?.focus()
      return focus(index, errors?.[index]?.name === undefined ? 'value' : 'name')
    },
  })
  const add = () => {
    onChange([...rows, { name: '', value: '' }])
    requestAnimationFrame(() => focus(rows.length, 'name'))
  }
  const fieldOf = (index: number, part: keyof HeaderRow, label: string) => {
    const row = rows[index] ?? { name: '', value: '' }
    const message = errors?.[index]?.[part]?.message
    return (
      <TextInput
        id={idOf(index, part)}
        aria-label={label}
        aria-invalid={message !== undefined}
        placeholder={t(`advanced.field.${part}`)}
        autoComplete="off"
        spellCheck={false}
        value={row[part]}
        onBlur={onBlur}
        onChange={({ currentTarget: { value: text } }) =>
          onChange(rows.map((given, at) => (at === index ? { ...given, [part]: text } : given)))
        }
        error={
          message === 'advanced.field.ruleBroken'
            ? headerProblem(row, currentLanguage())
            : // Safe because the schemas of forms carry only keys as their messages.
              message && t(message as MessageKey)
        }
      />
    )
  }
  return (
    <Input.Wrapper
      label={t('advanced.field.headers')}
      labelElement="div"
      description={t('advanced.field.headersHint')}
      error={errors?.type === REFUSED && errors.message}
    >
      {rows.map((_, index) => {
        const number = index + 1
        return (
          // oxlint-disable-next-line react/no-array-index-key -- rows are controlled, without state
          <div key={index} className={classes['header']}>
            {fieldOf(index, 'name', t('advanced.field.headerName', { number }))}
            {fieldOf(index, 'value', t('advanced.field.headerValue', { number }))}
            <IconButton
              size={32}
              aria-label={t('advanced.field.removeHeader', { number })}
              onClick={() => onChange(rows.filter((_row, at) => at !== index))}
            >
              <Trash2 size={16} />
            </IconButton>
          </div>
        )
      })}
      <Button
        ref={addButton}
        mt="xs"
        size="compact-sm"
        variant="default"
        leftSection={<Plus size={14} />}
        onClick={add}
      >
        {t('advanced.field.addHeader')}
      </Button>
    </Input.Wrapper>
  )
}
