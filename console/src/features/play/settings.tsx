import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { type Parameters, parseTools } from './conversation.ts'
import classes from './play.module.css'

const NUMBERS = {
  temperature: { least: 0, most: 2 },
  topP: { least: 0, most: 1 },
  maxTokens: { least: 1, most: 10_000_000 },
} as const

type NumberName = keyof typeof NUMBERS

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const

function isValidNumber(name: NumberName, text: string): boolean {
  const { least, most } = NUMBERS[name]
  const number = Number(text)
  const isWhole = name !== 'maxTokens' || Number.isInteger(number)
  return text.trim() === '' || (number >= least && number <= most && isWhole)
}

export const hasValidParameters = (parameters: Parameters) =>
  parseTools(parameters.tools) !== null &&
  isValidNumber('temperature', parameters.temperature) &&
  isValidNumber('topP', parameters.topP) &&
  isValidNumber('maxTokens', parameters.maxTokens)

type Props = {
  parameters: Parameters
  onChange: (part: Partial<Parameters>) => void
  children: ReactNode
}

/** Open next to the conversation; on a phone it opens above the conversation. */
export function Settings({ parameters, onChange, children }: Props) {
  const { t } = useTranslation()
  const text = (name: 'system' | 'tools') => ({
    label: t(`play.settings.${name}`),
    value: parameters[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
    autosize: true,
    minRows: 2,
    maxRows: 10,
  })
  const number = (name: NumberName) => ({
    label: t(`play.settings.${name}`),
    inputMode: 'decimal' as const,
    autoComplete: 'off',
    value: parameters[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [name]: event.currentTarget.value.trim() }),
    error: !isValidNumber(name, parameters[name]) && t('play.settings.numberError', NUMBERS[name]),
  })
  return (
    <details className={classes['settings']} open={!isNarrow()}>
      <summary>{t('play.settings.title')}</summary>
      <div className={classes['fields']}>
        {children}
        <Textarea {...text('system')} />
        <TextInput {...number('temperature')} />
        <TextInput {...number('topP')} />
        <TextInput {...number('maxTokens')} description={t('play.settings.maxTokensHint')} />
        <NativeSelect
          label={t('play.settings.effort')}
          value={parameters.effort}
          data={[
            { value: '', label: t('play.settings.effortAny') },
            ...EFFORTS.map((value) => ({ value, label: value })),
          ]}
          onChange={(event) => onChange({ effort: event.currentTarget.value })}
        />
        <Textarea
          {...text('tools')}
          spellCheck={false}
          classNames={{ input: classes['json'] ?? '' }}
          description={t('play.settings.toolsHint')}
          error={parseTools(parameters.tools) === null && t('play.settings.toolsError')}
        />
        <Switch
          label={t('play.settings.stream')}
          checked={parameters.isStreamed}
          onChange={(event) => onChange({ isStreamed: event.currentTarget.checked })}
        />
      </div>
    </details>
  )
}

const isNarrow = () => window.matchMedia('(max-width: 899px)').matches
