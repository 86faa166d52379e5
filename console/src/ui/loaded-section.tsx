import { Button, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { errorText } from '../lib/report-error.ts'
import { Empty } from './empty.tsx'
import './loaded-section.messages.ts'
import classes from './loaded-section.module.css'
import { Loading } from './loading.tsx'

type Props<Data> = {
  id: string
  title: string
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  actions?: ReactNode
  children: (data: Data) => ReactNode
}

/** Heading, then the loaded data, or why there is none. */
export function LoadedSection<Data>({ id, title, query, actions, children }: Props<Data>) {
  const { t } = useTranslation()
  const { data, error, refetch } = query
  return (
    <section id={id} className={classes['section']} aria-labelledby={`${id}-title`}>
      <div className={classes['head']}>
        <Title order={2} id={`${id}-title`} tabIndex={-1}>
          {title}
        </Title>
        {actions}
      </div>
      {data === undefined && error === null && <Loading page={title} />}
      {data === undefined && error !== null && (
        <Empty
          alert
          title={t('loadedSection.failed')}
          body={errorText(error)}
          action={
            <Button variant="default" onClick={() => void refetch()}>
              {t('common.action.retry')}
            </Button>
          }
        />
      )}
      {data !== undefined && children(data)}
    </section>
  )
}
