import { Button, Textarea } from '@mantine/core'
import { useDeferredValue, useId, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { toSafeFragment } from '../../lib/html.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { type FieldProps, useOptionField } from './field-props.ts'
import classes from './settings.module.css'
import { useOptionHint } from './use-option-hint.tsx'

const ROWS = 8

export function ProseField(props: FieldProps) {
  const { t } = useTranslation()
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(props.name)
  const [isShown, setIsShown] = useState(false)
  const source = useDeferredValue(field.value)
  const id = useId()
  return (
    <div>
      <Textarea
        {...field}
        label={label}
        error={error}
        description={error === undefined ? hint : undefined}
        rows={ROWS}
        resize="vertical"
        classNames={{ input: classes['source'] ?? '' }}
        spellCheck={false}
      />
      <Button
        mt="sm"
        size="compact-sm"
        variant="default"
        aria-expanded={isShown}
        aria-controls={id}
        aria-label={t(isShown ? 'settings.preview.hideNamed' : 'settings.preview.showNamed', {
          name: label,
        })}
        onClick={() => setIsShown(!isShown)}
      >
        {t(isShown ? 'settings.preview.hide' : 'settings.preview.show')}
      </Button>
      <div id={id} role="group" aria-label={t('settings.preview.of', { name: label })}>
        {isShown && (
          <div className={classes['preview']}>
            {source.trim() === '' ? (
              t('settings.preview.empty')
            ) : (
              <RichText source={source} toFragment={toSafeFragment} />
            )}
          </div>
        )}
      </div>
    </div>
  )
}
