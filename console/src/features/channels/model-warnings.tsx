import type { Channel } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import classes from './channels.module.css'
import { namesOf, shutModels, useShutdowns } from './shutdowns.ts'
import './model-warnings.messages.ts'

type Props = { models: readonly string[]; mapping: string; stored: Channel | null }

/** What an operator should know about the chosen models before saving them. */
export function ModelWarnings({ unpriced, ...sent }: Props & { unpriced: readonly string[] }) {
  return (
    <>
      <UnpricedModels models={unpriced} />
      <ShutModels {...sent} />
    </>
  )
}

/** Warns about chosen models that only resellers may still serve. */
function ShutModels({ models, mapping, stored }: Props) {
  const { t } = useTranslation()
  const isStored = models.join() === (stored?.models ?? '') && mapping === stored?.model_mapping
  // The stored channel comes with its own list, so the form loads nothing before it is edited.
  const days = useShutdowns({ enabled: !isStored && models.length > 0 })
  const known = stored?.shut_models.filter(({ model }) => models.includes(model)) ?? []
  const shut = isStored || days === undefined ? known : shutModels({ models, mapping }, days)
  const count = shut.length
  const names = namesOf(shut)
  return (
    <p className={classes['warning']} role="status">
      {count > 0 && t('modelWarning.shut', { count, number: formatNumber(count), names })}
    </p>
  )
}

const NAMES_SHOWN = 5

/** Warns before models without a price are offered: they cost the default or are rejected. */
function UnpricedModels({ models }: { models: readonly string[] }) {
  const { t } = useTranslation()
  const names = joinNames(models.slice(0, NAMES_SHOWN))
  const count = models.length
  return (
    <p className={classes['warning']} role="status">
      {count > 0 &&
        t('modelWarning.unpriced', {
          count,
          number: formatNumber(count),
          names: count > NAMES_SHOWN ? `${names} …` : names,
        })}
    </p>
  )
}
