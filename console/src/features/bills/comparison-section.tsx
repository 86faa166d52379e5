import { Button, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import {
  type BillComparison,
  type BillDifference,
  type BillSource,
  DIFFERENCES_MAX,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { dollars, percentText, signedDollars } from './amounts.ts'
import classes from './bills.module.css'
import { DifferenceTable } from './difference-table.tsx'
import { type Period, spanText } from './period.ts'
import { comparisonQuery } from './queries.ts'
import { RowsDialog } from './rows-dialog.tsx'

type Props = { source: BillSource; period: Period; onClose: () => void }

/** What differs between a bill and the recorded use. */
export function ComparisonSection({ source, period, onClose }: Props) {
  const { t } = useTranslation()
  const query = useQuery(comparisonQuery(source.id, period))
  const [opened, setOpened] = useState<BillDifference | null>(null)
  const place = useRef<HTMLDivElement>(null)
  // The section opens below the button that opens it.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'start' })
    place.current?.querySelector('h2')?.focus({ preventScroll: true })
  }, [])
  const close = (
    <Button variant="default" onClick={onClose}>
      {t('bill.compare.close')}
    </Button>
  )
  return (
    <div ref={place}>
      <LoadedSection
        id="comparison"
        title={t('bill.compare.title', { name: source.name })}
        query={query}
        actions={close}
      >
        {(data) => (
          <>
            <Summary summary={data.summary} />
            <Lists data={data} onOpen={setOpened} />
            {opened && (
              <RowsDialog source={source} difference={opened} onClose={() => setOpened(null)} />
            )}
          </>
        )}
      </LoadedSection>
    </div>
  )
}

function Summary({ summary }: Pick<BillComparison, 'summary'>) {
  const { t } = useTranslation()
  const { billed, recorded, difference, percent, unknown, covers_from, covers_to } = summary
  if (covers_to === 0) return <p className={classes['dimmed']}>{t('bill.compare.uncovered')}</p>
  const covered = spanText({ start: covers_from, end: covers_to })
  return (
    <>
      <DescriptionList
        items={[
          { name: t('bill.sum.billed'), value: dollars(billed) },
          { name: t('bill.sum.recorded'), value: dollars(recorded) },
          { name: t('bill.sum.difference'), value: signedDollars(difference) },
          { name: t('bill.sum.percent'), value: percentText(percent) },
          { name: t('bill.compare.covered'), value: covered },
        ]}
      />
      {unknown > 0 && (
        <p className={classes['dimmed']}>
          {t('bill.compare.unknown', { number: formatNumber(unknown) })}
        </p>
      )}
    </>
  )
}

/** Kinds that are listed together. */
const LISTS = [
  ['unrecorded', ['unrecorded']],
  ['unbilled', ['unbilled']],
  ['different', ['price', 'tokens', 'cost_unknown']],
] as const

type ListsProps = { data: BillComparison; onOpen: (difference: BillDifference) => void }

function Lists({ data: { summary, differences }, onOpen }: ListsProps) {
  const { t } = useTranslation()
  return LISTS.map(([name, kinds]) => {
    const rows = differences.filter(({ kind }) => kinds.some((known) => known === kind))
    const total = kinds.reduce((sum, kind) => sum + summary.counts[kind], 0)
    return (
      <section key={name} className={classes['list']}>
        <Title order={3}>{t(`bill.list.${name}`, { number: formatNumber(total) })}</Title>
        <p className={classes['dimmed']}>{t(`bill.list.${name}Hint`)}</p>
        {rows.length > 0 && (
          <DifferenceTable label={t(`bill.list.${name}Table`)} rows={rows} onOpen={onOpen} />
        )}
        {total > rows.length && (
          <p className={classes['dimmed']}>
            {t('bill.list.more', {
              shown: formatNumber(rows.length),
              most: formatNumber(DIFFERENCES_MAX),
            })}
          </p>
        )}
      </section>
    )
  })
}
