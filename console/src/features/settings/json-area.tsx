import { Button, Textarea, type TextareaProps } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { indented } from './drafts.ts'
import classes from './settings.module.css'

const ROWS = 14

type Props = Omit<TextareaProps, 'value' | 'onChange'> & {
  label: string
  value: string
  onChange: (text: string) => void
}

export function JsonArea({ label, value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <div>
      <Textarea
        {...rest}
        label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        rows={ROWS}
        resize="vertical"
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes['source'] ?? '' }}
      />
      <Button
        mt="sm"
        size="compact-sm"
        variant="default"
        aria-label={t('settings.table.formatNamed', { name: label })}
        onClick={() => onChange(indented(value))}
      >
        {t('settings.table.format')}
      </Button>
    </div>
  )
}
