import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type Ref, useDeferredValue, useId, useMemo, useState } from 'react'
import type { Channel } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { formatNumber, MODEL_SEPARATORS } from '../../lib/format.ts'
import { allModels, modelsOf, modelsQuery } from '../../lib/models.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { TagsField } from '../../ui/tags-field.tsx'
import classes from './channels.module.css'
import { ChosenModels } from './chosen-models.tsx'
import { FetchModelsButton, type ModelSource } from './provider-models.tsx'
import { catalogueModelsQuery } from './queries.ts'

type Props = {
  type: number
  /** Connection settings for fetching the provider's models. */
  source: () => Promise<ModelSource | null>
  /** The stored channel, and the model mapping in the form. */
  sent: { stored: Channel | null; mapping: string }
  value: string[]
  onChange: (models: string[]) => void
  onBlur: () => void
  name: string
  ref: Ref<HTMLInputElement>
  error: ReactNode
  description: ReactNode
}

const loadWarnings = async () => (await import('./model-warnings.tsx')).ModelWarnings

const OPTIONS_SHOWN = 100
/** From this count on, typing also filters the chosen models. */
const LONG_LIST = 30
const NONE: string[] = []

/** Models a channel serves: from the provider, from the catalogue, typed or pasted. */
export function ModelsField({ type, source, sent, value, onChange, ...field }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const inputId = useId()
  const [search, setSearch] = useState('')
  const [unpriced, setUnpriced] = useState(NONE)
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const byType = useQuery(modelsQuery)
  const known = modelsOf(byType.data, type)
  const related = known.length > 0 ? known : (descriptorOf(type)?.models ?? NONE)
  const options = useMemo(() => {
    const chosen = new Set(value)
    return [...new Set([...related, ...allModels(byType.data)])].filter(
      (model) => !chosen.has(model),
    )
  }, [value, related, byType.data])
  const isLong = value.length > LONG_LIST
  const shown = useMemo(
    () => (isLong ? value.filter((model) => model.toLowerCase().includes(wanted)) : value),
    [value, wanted, isLong],
  )
  const add = (models: readonly string[]) => {
    const names = models.map((model) => model.trim()).filter((model) => model !== '')
    onChange([...new Set([...value, ...names])])
  }
  const fillAll = useMutation({
    mutationFn: () => client.query(catalogueModelsQuery),
    onSuccess: add,
  })
  return (
    <div>
      <TagsField
        id={inputId}
        label={t('channelForm.models')}
        data={options}
        limit={OPTIONS_SHOWN}
        splitChars={MODEL_SEPARATORS}
        value={NONE}
        onChange={add}
        selected={value}
        search={{ text: search, onChange: setSearch }}
        {...field}
      />
      <div className={classes['tools']} role="group" aria-label={t('channelForm.modelTools')}>
        <Button size="compact-sm" variant="default" onClick={() => add(related)}>
          {t('channelForm.fillRelated')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          loading={fillAll.isPending}
          onClick={() => fillAll.mutate()}
        >
          {t('channelForm.fillAll')}
        </Button>
        <FetchModelsButton
          source={source}
          onFetched={(fetched) => {
            add(fetched.models)
            setUnpriced(fetched.unpriced)
          }}
        />
        <Button
          size="compact-sm"
          variant="default"
          disabled={value.length === 0}
          onClick={() => void copyText(value.join(','))}
        >
          {t('channelForm.copyModels')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={value.length === 0}
          onClick={() => onChange([])}
        >
          {t('channelForm.clearModels')}
        </Button>
        <span className={classes['dimmed']} role="status">
          {t('channelForm.modelsCount', { number: formatNumber(value.length) })}
        </span>
      </div>
      {value.length > 0 && (
        <LazyPart
          name="model-warnings"
          load={loadWarnings}
          props={{
            models: value,
            unpriced: unpriced.filter((model) => value.includes(model)),
            ...sent,
          }}
        />
      )}
      <ChosenModels
        isLong={isLong}
        models={shown}
        all={value}
        onChange={onChange}
        inputId={inputId}
      />
    </div>
  )
}
