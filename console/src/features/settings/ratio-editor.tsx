import { Input, Stack, Text } from '@mantine/core'
import { useId, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from '../../i18n/use-translation.ts'
import { type OptionFormState, useOptionField } from './field-props.ts'
import { JsonArea } from './json-area.tsx'
import { parseRatios, RATIO_TABLES, type Ratios, type RatioTable, withRatio } from './ratio-rows.ts'
import { RatioTableView } from './ratio-table.tsx'
import { ViewSwitch } from './rows-or-json.tsx'
import classes from './settings.module.css'

export function RatioEditor({ form }: { form: OptionFormState }) {
  const { t } = useTranslation()
  const [view, setView] = useState<'rows' | 'json'>('rows')
  const id = useId()
  const tables = readTables(form)
  const isJson = view === 'json' || tables === null
  const change = (changed: readonly RatioTable[], model: string, ratio: number | undefined) => {
    for (const name of changed) {
      const text = withRatio(tables?.[name] ?? {}, model, ratio)
      form.setValue(name, text, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
    }
  }
  return (
    <div role="group" aria-labelledby={id}>
      <div className={classes['tableHead']}>
        <Input.Label component="span" id={id}>
          {t('settings.ratio.title')}
        </Input.Label>
        <ViewSwitch label={t('settings.ratio.title')} view={view} onView={setView} />
      </div>
      {tables === null && view === 'rows' && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('settings.table.noRows')}
        </Text>
      )}
      <Stack gap={isJson ? 'lg' : 0} className={isJson ? (classes['narrow'] ?? '') : ''}>
        {RATIO_TABLES.map((name) => (
          <RatioJson
            key={name}
            name={name}
            form={form}
            isShown={isJson}
            onShow={() => setView('json')}
          />
        ))}
      </Stack>
      {!isJson && tables && (
        <RatioTableView
          tables={tables}
          onChange={change}
          onBlur={(table) => void form.trigger(table)}
        />
      )}
      <Input.Description mt={6}>{t('settings.ratio.hint')}</Input.Description>
    </div>
  )
}

function readTables(form: OptionFormState): Record<RatioTable, Ratios> | null {
  const texts = form.watch([...RATIO_TABLES])
  const read = RATIO_TABLES.map((name, index) => [name, parseRatios(texts[index] ?? '')] as const)
  if (read.some(([, table]) => table === null)) return null
  // Safe because every table is in the list, and none of them is null.
  return Object.fromEntries(read) as Record<RatioTable, Ratios>
}

type JsonProps = { name: RatioTable; form: OptionFormState; isShown: boolean; onShow: () => void }

/** Its error names the ratio, whose column phones may hide. Focus opens the JSON view. */
function RatioJson({ name, form, isShown, onShow }: JsonProps) {
  const { field, label, error } = useOptionField({ name, form })
  const { t } = useTranslation()
  const area = useRef<HTMLTextAreaElement>(null)
  const focus = () => {
    flushSync(onShow)
    area.current?.focus()
  }
  useImperativeHandle(field.ref, () => ({ focus }))
  if (!isShown) {
    if (error === undefined) return null
    return <Input.Error mb="sm">{t('settings.ratio.wrong', { ratio: label, error })}</Input.Error>
  }
  return (
    <JsonArea
      ref={area}
      label={label}
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      error={error}
    />
  )
}
