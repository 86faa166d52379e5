import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { namesOf, shutModels, useShutdowns } from './shutdowns.ts'

type Props = { models: readonly string[]; mapping: string }

/** Warns about chosen models that only resellers may still serve. */
export function ShutModels({ models, mapping }: Props) {
  const { t } = useTranslation()
  const shut = shutModels({ models, mapping }, useShutdowns())
  const count = shut.length
  const names = namesOf(shut)
  return (
    <p role="status">
      {count > 0 && t('channel.form.shut', { count, number: formatNumber(count), names })}
    </p>
  )
}
