import { useController, type UseFormReturn } from 'react-hook-form'
import { type OptionKey, OPTIONS } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { findProblem } from './drafts.ts'

export type OptionFormState = UseFormReturn<Record<string, string>>

export type FieldProps = { name: OptionKey; form: OptionFormState }

export const labelOf = (key: OptionKey) => OPTIONS[key].label[currentLanguage()]

export function useOptionField({ name, form }: FieldProps) {
  const { t } = useTranslation()
  const { field, fieldState } = useController({ name, control: form.control })
  const label = labelOf(name)
  const problem =
    fieldState.error?.type === 'invalid' ? findProblem(name, field.value, currentLanguage()) : null
  const error = () => {
    if (fieldState.error?.type === 'server') return fieldState.error.message
    if (problem === null) return undefined
    if (problem.kind === 'json') {
      const { line, column, name: member } = problem.problem
      return problem.problem.kind === 'twice'
        ? t('settings.problem.twice', { name: label, member, line })
        : t('settings.problem.json', { name: label, line, column })
    }
    const { field: place, problem: text } = problem
    return place === ''
      ? t('settings.problem.value', { problem: text })
      : t('settings.problem.place', { place, problem: text })
  }
  return { field, label, error: error() }
}
