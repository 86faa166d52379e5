import { Stack } from '@mantine/core'
import { useState } from 'react'
import type { BillSource } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { Choice } from '../../ui/choice.tsx'
import { Page } from '../../ui/page.tsx'
import { ComparisonSection } from './comparison-section.tsx'
import { periodOf, type Range, RANGES } from './period.ts'
import { SourcesSection } from './sources-section.tsx'

/** Sources of bills with their sums in a period, and what differs in the chosen one. */
export function BillsPage() {
  const { t } = useTranslation()
  const [range, setRange] = useState<Range>('30d')
  const [now] = useState(() => new Date(nowSeconds() * 1000))
  const [shown, setShown] = useState<BillSource | null>(null)
  const period = periodOf(range, now)
  return (
    <Page
      title={t('billTitle.nav')}
      width="table"
      actions={
        <Choice
          label={t('bill.range.label')}
          options={RANGES.map((value) => ({ value, label: t(`bill.range.${value}`) }))}
          value={range}
          onChange={setRange}
        />
      }
    >
      <Stack gap={32}>
        <SourcesSection period={period} onShow={setShown} />
        {shown && (
          <ComparisonSection
            key={`${shown.id} ${range}`}
            source={shown}
            period={period}
            onClose={() => setShown(null)}
          />
        )}
      </Stack>
    </Page>
  )
}
