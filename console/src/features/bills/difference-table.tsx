import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BillDifference } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { PlainTable } from '../../ui/plain-table.tsx'
import { dollars, signedDollars } from './amounts.ts'
import { spanText } from './period.ts'
import { countText } from './preview-table.tsx'
import { channelNamesQuery } from './queries.ts'

const HEADS = ['billed', 'recorded', 'difference', 'input', 'output'] as const

type Props = {
  label: string
  rows: readonly BillDifference[]
  onOpen: (difference: BillDifference) => void
}

export function DifferenceTable({ label, rows, onOpen }: Props) {
  const { t } = useTranslation()
  return (
    <PlainTable label={label}>
      <thead>
        <tr>
          <th scope="col">{t('bill.import.utc')}</th>
          <th scope="col">{t('bill.column.model')}</th>
          <th scope="col">{t('bill.compare.channel')}</th>
          <th scope="col">{t('bill.compare.kind')}</th>
          {HEADS.map((name) => (
            <th key={name} scope="col" data-align="right">
              {t(`bill.sum.${name}`)}
            </th>
          ))}
          <th scope="col" data-actions>
            {t('bill.source.actions')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <DifferenceRow
            key={`${row.start} ${row.end} ${row.model} ${row.channel} ${row.key}`}
            row={row}
            onOpen={() => onOpen(row)}
          />
        ))}
      </tbody>
    </PlainTable>
  )
}

function DifferenceRow({ row, onOpen }: { row: BillDifference; onOpen: () => void }) {
  const { t } = useTranslation()
  const channels = useQuery(channelNamesQuery)
  const { kind, model, channel, key, billed, recorded } = row
  const known = channels.data?.find(({ id }) => id === channel)?.name
  const name = channel === 0 ? NO_VALUE : (known ?? `#${channel}`)
  const difference = kind === 'unbilled' ? -recorded : billed === null ? null : billed - recorded
  return (
    <tr>
      <td>{spanText(row)}</td>
      <td>{model}</td>
      <td>{key === '' ? name : `${name} · ${key}`}</td>
      <td>{t(`bill.difference.${kind}`)}</td>
      <td data-align="right">{dollars(billed)}</td>
      <td data-align="right">{dollars(recorded)}</td>
      <td data-align="right">{signedDollars(difference)}</td>
      <td data-align="right">{both(row.billed_input, row.recorded_input)}</td>
      <td data-align="right">{both(row.billed_output, row.recorded_output)}</td>
      <td data-actions>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('bill.compare.rowsOf', { model, span: spanText(row) })}
          onClick={onOpen}
        >
          {t('bill.compare.rows')}
        </Button>
      </td>
    </tr>
  )
}

/** Billed and recorded tokens. */
const both = (billed: number | null, recorded: number) =>
  `${countText(billed)} / ${countText(recorded)}`
