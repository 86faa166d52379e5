import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { OPTIONS } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { choiceName } from './choice-name.ts'
import { DomainsField } from './domains-field.tsx'
import { changedDestinations } from './drafts.ts'
import { type FieldProps, labelOf, useOptionField } from './field-props.ts'
import { NumberField } from './number-field.tsx'
import { optionChoices } from './number-limits.ts'
import { useOptionContext } from './option-context.ts'
import { PackagesField } from './packages-field.tsx'
import { ProseField } from './prose-field.tsx'
import { RecordField } from './record-field.tsx'
import { useOptionHint } from './use-option-hint.tsx'

// The largest field, which only one tab needs.
const RatioEditor = lazy(async () => ({
  default: (await import('./ratio-editor.tsx')).RatioEditor,
}))

/** Approximate, to avoid a layout shift. */
const RATIOS_HEIGHT_PX = 660

const THEMES = ['auto', 'light', 'dark'] as const

export function OptionField(props: FieldProps) {
  const { editor, secret, default: fallback } = OPTIONS[props.name]
  switch (editor) {
    case 'model_ratios':
      // The other ratios of models are edited in the same table.
      return props.name === 'ModelRatio' ? (
        <Suspense fallback={<div aria-busy style={{ height: RATIOS_HEIGHT_PX }} />}>
          <RatioEditor form={props.form} />
        </Suspense>
      ) : null
    case 'group_limits':
    case 'call_prices':
    case 'group_ratios':
    case 'links':
      return <RecordField {...props} editor={editor} />
    case 'packages':
      return <PackagesField {...props} />
    case 'theme':
      return <ThemeField {...props} />
    case 'choice':
      return <ChoiceField {...props} />
    case 'domains':
      return <DomainsField {...props} />
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
  return typeof fallback === 'number' ? <NumberField {...props} /> : <LineField {...props} />
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
