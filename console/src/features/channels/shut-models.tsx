import { useTranslation } from 'react-i18next'
import type { Channel } from '@tollgate/contract'
import { formatNumber } from '../../lib/format.ts'
import { namesOf, shutModels, useShutdowns } from './shutdowns.ts'

type Props = { models: readonly string[]; mapping: string; stored: Channel | null }

/** Warns about chosen models that only resellers may still serve. */
export function ShutModels({ models, mapping, stored }: Props) {
  const { t } = useTranslation()
  const isStored = models.join() === (stored?.models ?? '') && mapping === stored?.model_mapping
  // The stored channel comes with its own list, so the form loads nothing before it is edited.
  const days = useShutdowns({ enabled: !isStored && models.length > 0 })
  const known = stored?.shut_models.filter(({ model }) => models.includes(model)) ?? []
  const shut = isStored || days === undefined ? known : shutModels({ models, mapping }, days)
  const count = shut.length
  const names = namesOf(shut)
  return (
    <p role="status">
      {count > 0 && t('channel.form.shut', { count, number: formatNumber(count), names })}
    </p>
  )
}
