import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Download, Printer } from 'lucide-react'
import type { Statement } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { BYTE_ORDER_MARK } from '../../lib/csv.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { useSearchParams } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import classes from './billing.module.css'
import { monthAt, monthName, monthsBetween, timeIn } from './months.ts'
import { statementQuery } from './queries.ts'
import { statementCsv } from './statement-csv.ts'
import { StatementSheet } from './statement-sheet.tsx'

const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/

export function StatementSection() {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const given = params.get('month') ?? ''
  const chosen = MONTH.test(given) ? given : undefined
  const query = useQuery(statementQuery(chosen))
  const choose = (month: string) => setParams({ month })
  return (
    <LoadedSection
      id="statement"
      title={t('billing.statement.title')}
      query={query}
      actions={
        query.data && (
          <Actions
            statement={query.data}
            chosen={chosen ?? query.data.month}
            isStale={query.isPlaceholderData}
            onChoose={choose}
          />
        )
      }
    >
      {(statement) => (
        <div aria-busy={query.isPlaceholderData}>
          <StatementSheet statement={statement} />
        </div>
      )}
    </LoadedSection>
  )
}

type ActionsProps = {
  statement: Statement
  /** Differs from the month of the statement while another statement loads. */
  chosen: string
  isStale: boolean
  onChoose: (month: string) => void
}

function Actions({ statement, chosen, isStale, onChoose }: ActionsProps) {
  const { t, language } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const { month, first_month: first, time_zone: zone } = statement
  const current = monthAt(nowSeconds(), zone)
  const months = [...new Set([...monthsBetween(first, current), chosen])]
  return (
    <div className={`${classes['actions']} ${classes['screen']}`}>
      <NativeSelect
        size="xs"
        aria-label={t('billing.statement.month')}
        value={chosen}
        onChange={(event) => onChoose(event.currentTarget.value)}
        data={months.map((value) => ({ value, label: monthName(value, language) }))}
      />
      <Button
        size="xs"
        variant="default"
        leftSection={<Download size={14} aria-hidden />}
        disabled={isStale}
        onClick={save}
      >
        {t('billing.statement.csv')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<Printer size={14} aria-hidden />}
        disabled={isStale}
        onClick={() => window.print()}
      >
        {t('billing.statement.print')}
      </Button>
    </div>
  )

  function save() {
    const texts = {
      head: [
        t('billing.csv.date'),
        t('billing.csv.type'),
        t('billing.csv.description'),
        t('billing.usage.requests'),
        t('billing.usage.prompt'),
        t('billing.usage.completion'),
        t('billing.csv.dollars'),
        t('billing.csv.units'),
      ],
      opening: t('billing.csv.opening'),
      usage: t('billing.csv.usage'),
      credit: t('billing.csv.credit'),
      kind: (kind: Statement['credits'][number]['kind']) => t(`creditKind.${kind}`),
      unlisted: (count: number) => t('billing.credit.more', { count }),
    }
    const csv = statementCsv(statement, {
      texts,
      quotaPerUnit,
      timeOf: (at: number) => timeIn(zone, at),
    })
    const name = fileNameOf(`${t('billing.statement.title')} ${month}`, 'csv')
    downloadText(name, BYTE_ORDER_MARK + csv, 'text/csv')
  }
}
