import { Button, Text } from '@mantine/core'
import type { Token } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { createOwnToken } from '../../lib/own-tokens.ts'
import { useChange } from '../../lib/use-change.ts'
import { LateSelect } from '../../ui/late-select.tsx'
import classes from './play.module.css'

type Props = {
  tokens: readonly Token[]
  value: number | null
  onChange: (id: number) => void
}

/** The token that pays; without any, a button that creates an unlimited one. */
export function TokenPicker({ tokens, value, onChange }: Props) {
  const { t } = useTranslation()
  const create = useChange(['tokens'], () => createOwnToken(t('play.token.name')))
  if (value === null) {
    return (
      <div className={classes['noToken']}>
        <Text>{t('play.token.none')}</Text>
        <Button loading={create.isPending} onClick={() => create.mutate(undefined)}>
          {t('play.token.create')}
        </Button>
      </div>
    )
  }
  return (
    <LateSelect
      label={t('play.token.label')}
      data={tokens.map(({ id, name }) => ({ value: String(id), label: name || `#${id}` }))}
      value={String(value)}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t('common.form.noResults')}
      onChange={(id) => id !== null && onChange(Number(id))}
    />
  )
}
