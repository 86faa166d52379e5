import { Button, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode, Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { modelsOf, modelsQuery } from '../../lib/models.ts'
import classes from './channels.module.css'
import { catalogueModelsQuery } from './queries.ts'

type Props = {
  type: number
  value: string[]
  onChange: (models: string[]) => void
  onBlur: () => void
  name: string
  ref: Ref<HTMLInputElement>
  error: ReactNode
  description: ReactNode
}

/** The models a channel serves: from its provider's list, from all lists, or typed. */
export function ModelsField({ type, value, onChange, ...field }: Props) {
  const { t } = useTranslation()
  const byType = useQuery(modelsQuery)
  const all = useQuery(catalogueModelsQuery)
  const known = modelsOf(byType.data, type)
  const related = known.length > 0 ? known : (descriptorOf(type)?.models ?? [])
  const everything = all.data ?? []
  const add = (models: readonly string[]) => onChange([...new Set([...value, ...models])])
  return (
    <div>
      <TagsInput
        label={t('channel.form.models')}
        data={[...new Set([...related, ...everything])]}
        limit={100}
        splitChars={[',', '\n']}
        classNames={{ pillsList: classes['models'] ?? '' }}
        value={value}
        onChange={onChange}
        {...field}
      />
      <div className={classes['tools']} role="group" aria-label={t('channel.form.modelTools')}>
        <Button size="compact-sm" variant="default" onClick={() => add(related)}>
          {t('channel.form.fillRelated')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => add(everything)}>
          {t('channel.form.fillAll')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onChange([])}>
          {t('channel.form.clearModels')}
        </Button>
      </div>
    </div>
  )
}
