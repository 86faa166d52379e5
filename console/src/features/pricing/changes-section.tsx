import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type PriceChanges, type PriceFeed, priceEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { confirmLosses } from '../../lib/price-check.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { Choice } from '../../ui/choice.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { ChangesTable } from './changes-table.tsx'
import classes from './pricing.module.css'
import { changesQuery, PRICES, type Scope } from './queries.ts'

type Props = { feed: PriceFeed; onClose: () => void }

/** What applying the feed would change. Nothing applies before the operator has chosen it. */
export function ChangesSection({ feed, onClose }: Props) {
  const { t } = useTranslation()
  const [scope, setScope] = useState<Scope>('offered')
  const query = useQuery(changesQuery(feed.id, scope))
  const place = useRef<HTMLDivElement>(null)
  // The section opens below the button that opens it.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'start' })
    place.current?.querySelector('h2')?.focus({ preventScroll: true })
  }, [])
  const actions = (
    <div className={classes['tools']}>
      <Choice
        label={t('pricing.change.scope')}
        options={[
          { value: 'offered', label: t('pricing.change.offered') },
          { value: 'all', label: t('pricing.change.all') },
        ]}
        value={scope}
        onChange={setScope}
      />
      <Button variant="default" onClick={onClose}>
        {t('pricing.change.close')}
      </Button>
    </div>
  )
  return (
    <div ref={place}>
      <LoadedSection
        id="changes"
        title={t('pricing.change.title', { name: feed.name })}
        query={query}
        actions={actions}
      >
        {(data) => <Changes key={`${data.read_at} ${scope}`} id={feed.id} data={data} />}
      </LoadedSection>
    </div>
  )
}

function Changes({ id, data }: { id: number; data: PriceChanges }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const applying = useChange(PRICES, async (chosenModels: readonly string[]) => {
    const models = [...chosenModels]
    await confirmLosses({ feed: { id, models } })
    return call(priceEndpoints.applyPriceChanges, { body: { id, read_at: data.read_at, models } })
  })
  const { changes, total, problems } = data
  const models = changes.map(({ model }) => model).filter((model) => chosen.has(model))
  const apply = () =>
    applying.mutate(models, {
      onSuccess: (answer) => {
        setChosen(new Set())
        showSuccess(t('pricing.change.applied', { number: formatNumber(answer.data) }))
      },
    })
  const count = models.length
  return (
    <>
      {changes.length === 0 ? (
        <p className={classes['dimmed']}>{t('pricing.change.none')}</p>
      ) : (
        <>
          <Text c="dimmed" mb="sm">
            {t('pricing.change.unit')}
          </Text>
          <ChangesTable changes={changes} chosen={chosen} onChoose={setChosen} />
          {total > changes.length && (
            <p className={classes['dimmed']}>
              {t('pricing.change.more', {
                shown: formatNumber(changes.length),
                total: formatNumber(total),
              })}
            </p>
          )}
          <Button mt="md" disabled={count === 0} loading={applying.isPending} onClick={apply}>
            {t('pricing.change.apply', { count, number: formatNumber(count) })}
          </Button>
        </>
      )}
      {problems.length > 0 && <Problems problems={problems} />}
    </>
  )
}

function Problems({ problems }: Pick<PriceChanges, 'problems'>) {
  const { t } = useTranslation()
  const count = problems.length
  return (
    <details className={classes['problems']}>
      <summary>{t('pricing.change.problems', { count, number: formatNumber(count) })}</summary>
      <ul>
        {problems.map(({ model, problem }) => (
          <li key={model}>{`${model}: ${t(`pricing.problem.${problem}`)}`}</li>
        ))}
      </ul>
    </details>
  )
}
