import { Button, Modal, Text } from '@mantine/core'
import {
  type Redemption,
  type RedemptionBatch,
  REDEMPTION_STATUS,
  redemptionEndpoints,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { csvOf, csvTime } from '../../lib/csv.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { formatNumber } from '../../lib/format.ts'
import { readAllOf } from '../../lib/read-all.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { showInfo, showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { useSaving } from '../../lib/use-saving.ts'
import { ColumnAmounts } from '../../ui/column-amounts.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { Money } from '../../ui/money.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Time } from '../../ui/time.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import './batch.messages.ts'
import { REDEMPTIONS, useBatches } from './queries.ts'
import classes from './redemptions.module.css'

const AMOUNTS = [{ id: 'worth', amount: ({ unused_quota }: RedemptionBatch) => unused_quota }]

const COUNTS = ['unused', 'used', 'disabled', 'expired'] as const

/** The batches of codes: how many are left, as a file, and a switch for the whole batch. */
export function BatchesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const batches = useBatches()
  return (
    <Modal
      opened
      size={960}
      onClose={onClose}
      title={t('redemptionBatch.title')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <LoadedSection id="batches" title={t('redemptionBatch.all')} query={batches}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed">{t('redemptionBatch.none')}</Text>
          ) : (
            <PlainTable label={t('redemptionBatch.title')}>
              <thead>
                <tr>
                  <th scope="col">{t('redemptionBatch.name')}</th>
                  <th scope="col">{t('redemption.column.created')}</th>
                  {COUNTS.map((state) => (
                    <th key={state} scope="col" data-align="right">
                      {t(`redemptionBatch.count.${state}`)}
                    </th>
                  ))}
                  <th scope="col" data-align="right">
                    {t('redemptionBatch.worth')}
                  </th>
                  <th scope="col">{t('redemptionBatch.actions')}</th>
                </tr>
              </thead>
              <tbody>
                <ColumnAmounts columns={AMOUNTS} rows={rows}>
                  {rows.map((batch) => (
                    <Row key={batch.batch} row={batch} onClose={onClose} />
                  ))}
                </ColumnAmounts>
              </tbody>
            </PlainTable>
          )
        }
      </LoadedSection>
    </Modal>
  )
}

function Row({ row, onClose }: { row: RedemptionBatch; onClose: () => void }) {
  const money = useMoney()
  const { batch } = row
  return (
    <tr>
      <th scope="row">
        <Link to={`/redemption?${new URLSearchParams({ batch })}`} onClick={onClose}>
          {batch}
        </Link>
      </th>
      <td>
        <Time seconds={row.created_time} />
      </td>
      {COUNTS.map((state) => (
        <td key={state} data-align="right">
          {formatNumber(row[state])}
        </td>
      ))}
      <td data-align="right">
        <Money quota={row.unused_quota} column="worth" settings={money} />
      </td>
      <td>
        <span className={classes['batchActions']}>
          <SaveButton row={row} />
          <StatusButton row={row} />
        </span>
      </td>
    </tr>
  )
}

/** Saves the unused codes with their worth and expiry. */
function SaveButton({ row: { batch, unused } }: { row: RedemptionBatch }) {
  const { t } = useTranslation()
  const readAll = readAllOf<Redemption>({
    list: ({ sort: _sort, ...page }, signal) =>
      call(
        redemptionEndpoints.listRedemptions,
        { query: { ...page, batch, state: 'unused' } },
        signal,
      ),
    sort: null,
    order: 'desc',
  })
  const { progress, start, cancel } = useSaving(readAll, {
    textOf: (codes) =>
      csvOf(codes.map(({ key, quota, expired_time }) => [key, quota, csvTime(expired_time)])),
    onRead: ({ parts, count, isCut }) => {
      const head = csvOf([['code', 'quota', 'expires']])
      downloadText(fileNameOf(batch, 'csv'), [head, ...parts], 'text/csv')
      if (isCut) showInfo(t('table.csv.cut', { rows: formatNumber(count) }))
      else showSuccess(t('table.csv.saved', { count }))
    },
  })
  return (
    <Button
      size="xs"
      variant="default"
      disabled={unused === 0 && !progress}
      aria-label={t('redemptionBatch.saveOf', { name: batch })}
      onClick={progress ? cancel : start}
    >
      {progress ? t('common.action.cancel') : t('redemptionBatch.save')}
    </Button>
  )
}

function StatusButton({ row }: { row: RedemptionBatch }) {
  const { t } = useTranslation()
  const { batch, unused, expired, disabled_with_batch: disabled } = row
  const open = unused + expired
  const isOff = open === 0
  const change = useChange(REDEMPTIONS, (status: 1 | 2) =>
    call(redemptionEndpoints.setBatchStatus, { body: { batch, status } }),
  )
  const onSuccess = ({ data }: { data: number }) => {
    const name = isOff ? 'redemptionBatch.enabled' : 'redemptionBatch.disabled'
    showSuccess(t(name, { count: data }))
  }
  const act = async () => {
    const status = isOff ? REDEMPTION_STATUS.enabled : REDEMPTION_STATUS.disabled
    if (await confirm(isOff ? enabling() : disabling())) change.mutate(status, { onSuccess })
  }
  const enabling = () => ({
    title: t('redemptionBatch.enableTitle', { count: disabled }),
    body: t('redemptionBatch.enableBody', { name: batch }),
    verb: t('redemptionBatch.enableVerb', { count: disabled }),
  })
  const disabling = () => ({
    title: t('redemptionBatch.disableTitle', { name: batch }),
    body: t('redemptionBatch.disableBody', { count: open }),
    verb: t('redemptionBatch.disableVerb', { count: open }),
    danger: true,
  })
  // Codes that are used, or were disabled one by one, leave nothing to switch.
  if (isOff && disabled === 0) return null
  return (
    <Button
      size="xs"
      variant="default"
      loading={change.isPending}
      aria-label={t(isOff ? 'redemptionBatch.enableOf' : 'redemptionBatch.disableOf', {
        name: batch,
      })}
      onClick={() => void act()}
    >
      {t(isOff ? 'common.action.enable' : 'common.action.disable')}
    </Button>
  )
}
