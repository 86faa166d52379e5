import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { OPTIONS } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { choiceName } from './choice-name.ts'
import { changedDestinations } from './drafts.ts'
import { type FieldProps, labelOf, useOptionField } from './field-props.ts'
import { optionChoices } from './number-limits.ts'
import { useOptionContext } from './option-context.ts'
import { ProseField } from './prose-field.tsx'
import { useOptionHint } from './use-option-hint.tsx'

// Fields that only one tab needs or that are large load on demand.
const RatioEditor = lazy(async () => ({
  default: (await import('./ratio-editor.tsx')).RatioEditor,
}))

const PackagesField = lazy(async () => ({
  default: (await import('./packages-field.tsx')).PackagesField,
}))

const RecordField = lazy(async () => ({
  default: (await import('./record-field.tsx')).RecordField,
}))

const DomainsField = lazy(async () => ({
  default: (await import('./domains-field.tsx')).DomainsField,
}))

const NumberField = lazy(async () => ({
  default: (await import('./number-field.tsx')).NumberField,
}))

/** Approximate heights in pixels, to avoid layout shifts. */
const HEIGHTS = { ratios: 660, packages: 420, rows: 220, noRows: 74, line: 80 } as const

/** Tables that are empty at first. */
const NO_ROWS: ReadonlySet<string> = new Set(['group_limits', 'call_prices'])

type LazyFieldProps = { height: keyof typeof HEIGHTS; children: ReactNode }

function LazyField({ height, children }: LazyFieldProps) {
  return (
    <Suspense fallback={<div aria-busy style={{ height: HEIGHTS[height] }} />}>{children}</Suspense>
  )
}

const THEMES = ['auto', 'light', 'dark'] as const

export function OptionField(props: FieldProps) {
  const { editor, secret, default: fallback } = OPTIONS[props.name]
  switch (editor) {
    case 'model_ratios':
      // The other ratios of models are edited in the same table.
      return props.name === 'ModelRatio' ? (
        <LazyField height="ratios">
          <RatioEditor form={props.form} />
        </LazyField>
      ) : null
    case 'group_limits':
    case 'call_prices':
    case 'group_ratios':
    case 'links':
      return (
        <LazyField height={NO_ROWS.has(editor) ? 'noRows' : 'rows'}>
          <RecordField {...props} editor={editor} />
        </LazyField>
      )
    case 'packages':
      return (
        <LazyField height="packages">
          <PackagesField {...props} />
        </LazyField>
      )
    case 'theme':
      return <ThemeField {...props} />
    case 'choice':
      return <ChoiceField {...props} />
    case 'domains':
      return (
        <LazyField height="line">
          <DomainsField {...props} />
        </LazyField>
      )
    case 'prose':
      return <ProseField {...props} />
    // The field follows from the type of the value.
    case 'quota':
    case 'port':
    case undefined:
      break
    default:
      editor satisfies never
  }
  if (secret) return <SecretField {...props} />
  return typeof fallback === 'number' ? (
    <LazyField height="line">
      <NumberField {...props} />
    </LazyField>
  ) : (
    <LineField {...props} />
  )
}

function LineField(props: FieldProps) {
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(props.name)
  return (
    <TextInput
      {...field}
      label={label}
      error={error}
      description={error === undefined ? hint : undefined}
      autoComplete="off"
      spellCheck={false}
    />
  )
}

function SecretField(props: FieldProps) {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const { field, label, error } = useOptionField(props)
  const servers = changedDestinations(props.name, props.form.watch(), stored)
  const hint =
    servers.length > 0 && field.value === ''
      ? t('settings.secret.again', { names: joinNames(servers.map(labelOf)) })
      : t('settings.secret.hint')
  const description = useOptionHint(props.name, hint)
  return (
    <PasswordInput
      {...field}
      label={label}
      error={error}
      description={error === undefined ? description : undefined}
      placeholder={t('settings.secret.unchanged')}
      autoComplete="new-password"
      spellCheck={false}
      visibilityToggleButtonProps={{ 'aria-label': t('settings.secret.show', { name: label }) }}
    />
  )
}

function ThemeField(props: FieldProps) {
  const { t } = useTranslation()
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(props.name)
  const texts = {
    auto: t('common.frame.themeAuto'),
    light: t('common.frame.themeLight'),
    dark: t('common.frame.themeDark'),
  }
  return (
    <NativeSelect
      {...field}
      label={label}
      error={error}
      description={error === undefined ? hint : undefined}
      data={THEMES.map((value) => ({ value, label: texts[value] }))}
    />
  )
}

function ChoiceField(props: FieldProps) {
  const { field, label, error } = useOptionField(props)
  const hint = useOptionHint(props.name)
  return (
    <NativeSelect
      {...field}
      label={label}
      error={error}
      description={error === undefined ? hint : undefined}
      data={optionChoices(props.name).map((value) => ({
        value,
        label: choiceName(props.name, value),
      }))}
    />
  )
}
