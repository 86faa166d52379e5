import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BillSource } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Empty } from '../../ui/empty.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { ImportDialog } from './import-dialog.tsx'
import type { Period } from './period.ts'
import { channelNamesQuery, sourcesQuery, summariesQuery } from './queries.ts'
import { SourceDialog } from './source-dialog.tsx'
import { SourceRow } from './source-row.tsx'

const SUMS = ['billed', 'recorded', 'difference', 'percent'] as const

type Props = { period: Period; onShow: (source: BillSource) => void }

export function SourcesSection({ period, onShow }: Props) {
  const { t } = useTranslation()
  const query = useQuery(sourcesQuery)
  const summaries = useQuery(summariesQuery(period, query.data ?? []))
  const channels = useQuery(channelNamesQuery)
  /** Null for a new source, undefined while none is edited. */
  const [edited, setEdited] = useState<BillSource | null>()
  const [imported, setImported] = useState<BillSource | null>(null)
  const add = (
    <Button variant="default" disabled={!channels.data} onClick={() => setEdited(null)}>
      {t('bill.source.add')}
    </Button>
  )
  const label = t('bill.source.title')
  return (
    <LoadedSection id="sources" title={label} query={query} actions={add}>
      {(sources) => (
        <>
          <Text c="dimmed" mb="md">
            {t('bill.source.hint')}
          </Text>
          {sources.length === 0 ? (
            <Empty title={t('bill.source.none')} body={t('bill.source.noneBody')} />
          ) : (
            <PlainTable label={t('bill.source.table')}>
              <thead>
                <tr>
                  <th scope="col">{t('bill.form.name')}</th>
                  {SUMS.map((name) => (
                    <th key={name} scope="col" data-align="right">
                      {t(`bill.sum.${name}`)}
                    </th>
                  ))}
                  <th scope="col">{t('bill.source.last')}</th>
                  <th scope="col" data-actions>
                    {t('bill.source.actions')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {sources.map((source) => (
                  <SourceRow
                    key={source.id}
                    source={source}
                    period={period}
                    summary={summaries.data?.find(({ source_id }) => source_id === source.id)}
                    onShow={() => onShow(source)}
                    onEdit={() => setEdited(source)}
                    onImport={() => setImported(source)}
                  />
                ))}
              </tbody>
            </PlainTable>
          )}
          {edited !== undefined && channels.data && (
            <SourceDialog
              source={edited}
              channels={channels.data}
              onClose={() => setEdited(undefined)}
            />
          )}
          {imported && <ImportDialog source={imported} onClose={() => setImported(null)} />}
        </>
      )}
    </LoadedSection>
  )
}
