import { Button, Modal, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type BillDifference, type BillSource, billEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link } from '../../lib/router/router.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { dollars } from './amounts.ts'
import { spanText } from './period.ts'
import { BILLS } from './queries.ts'

type Props = { source: BillSource; difference: BillDifference; onClose: () => void }

const HEADS = ['attempts', 'input', 'output', 'cost'] as const

/** Log rows with an attempt that the line of the comparison counts. */
export function RowsDialog({ source, difference, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const { start, end, model, channel } = difference
  const search = { start_timestamp: start, end_timestamp: end, model, channel }
  const query = useInfiniteQuery({
    queryKey: [...BILLS, 'rows', source.id, search],
    queryFn: ({ pageParam, signal }) =>
      call(
        billEndpoints.listBilledRows,
        { params: { id: source.id }, query: { ...search, before: pageParam } },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: ({ extra }) => (extra.next === 0 ? undefined : extra.next),
  })
  const { data, error, isFetching } = query
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const span = spanText(difference)
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={t('bill.rows.title', { model, span })}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <Stack gap="md">
        {error && <Empty alert title={t('common.table.failed')} body={errorText(error)} />}
        {!data && !error && <Loading page={t('bill.compare.rows')} />}
        {data && rows.length === 0 && <Text c="dimmed">{t('bill.rows.none')}</Text>}
        {rows.length > 0 && (
          <PlainTable label={t('bill.compare.rows')}>
            <thead>
              <tr>
                <th scope="col">{t('bill.rows.time')}</th>
                <th scope="col">{t('bill.rows.request')}</th>
                <th scope="col">{t('bill.rows.user')}</th>
                <th scope="col">{t('bill.column.model')}</th>
                {HEADS.map((name) => (
                  <th key={name} scope="col" data-align="right">
                    {t(`bill.rows.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>
                    <Link to={logPath(row)}>{formatTime(row.created_at)}</Link>
                  </td>
                  <td>{row.request_id}</td>
                  <td>{row.username}</td>
                  <td>{row.model_name}</td>
                  <td data-align="right">{formatNumber(row.attempts)}</td>
                  <td data-align="right">{formatNumber(row.input)}</td>
                  <td data-align="right">{formatNumber(row.output)}</td>
                  <td data-align="right">{dollars(row.cost)}</td>
                </tr>
              ))}
            </tbody>
          </PlainTable>
        )}
        {query.hasNextPage && (
          <Button variant="default" loading={isFetching} onClick={() => void query.fetchNextPage()}>
            {t('bill.rows.more')}
          </Button>
        )}
      </Stack>
    </Modal>
  )
}

/** The log, filtered to the second of the row. */
function logPath({ created_at, model_name }: { created_at: number; model_name: string }): string {
  const query = new URLSearchParams({
    range: 'custom',
    start_timestamp: String(created_at),
    end_timestamp: String(created_at),
    model_name,
  })
  return `/log?${query}`
}
