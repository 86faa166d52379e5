import { isLogResult, type LogFacet, type LogFacets } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useEndReason } from '../../ui/use-end-reason.ts'
import type { Field, Fields } from './log-fields.ts'
import classes from './logs.module.css'

const FIELD_OF: Readonly<Record<LogFacet, Field>> = {
  outcome: 'outcome',
  error: 'error',
  model: 'model_name',
  channel: 'channel',
  user: 'user_id',
  token: 'token_name',
  endpoint: 'endpoint',
  group: 'group',
  stream: 'stream',
}

/** Facets that are open at first. */
const OPEN: readonly LogFacet[] = ['outcome', 'error', 'model']

const ORDER: readonly LogFacet[] = [
  'outcome',
  'error',
  'model',
  'channel',
  'user',
  'token',
  'endpoint',
  'group',
  'stream',
]

type Props = {
  facets: LogFacets | undefined
  fields: Fields
  onChange: (fields: Fields) => void
}

/** Values of the rows with their counts. A press narrows the filter to a value or widens it. */
export function Facets({ facets, fields, onChange }: Props) {
  const { t } = useTranslation()
  if (facets === undefined) return <div className={classes['facets']} aria-hidden />
  const toggle = (name: LogFacet, value: string) => {
    const field = FIELD_OF[name]
    onChange({ ...fields, [field]: toggled(name, fields[field], value) })
  }
  return (
    <section className={classes['facets']} aria-label={t('log.facet.label')}>
      {ORDER.flatMap((name) => facets.facets.filter((facet) => facet.name === name)).map(
        ({ name, values }) => (
          <details key={name} open={OPEN.includes(name) || fields[FIELD_OF[name]] !== ''}>
            <summary>{t(`log.facet.${name}`)}</summary>
            <ul>
              {values.map(({ value, label, count }) => (
                <li key={value}>
                  <button
                    type="button"
                    aria-pressed={isChosen(name, fields[FIELD_OF[name]], value)}
                    title={name === 'channel' ? `#${value} ${label}` : label}
                    onClick={() => toggle(name, value)}
                  >
                    <span>
                      <Label name={name} value={value} label={label} />
                    </span>
                    <span className="numbers" title={formatNumber(count)}>
                      {formatCount(count)}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </details>
        ),
      )}
      {facets.more && (
        <p className={classes['counted']}>
          {t('log.facet.counted', { rows: formatNumber(facets.counted) })}
        </p>
      )}
    </section>
  )
}

function Label({ name, value, label }: { name: LogFacet; value: string; label: string }) {
  const { t } = useTranslation()
  const end = useEndReason(value)
  if (name === 'error') return end
  if (name === 'outcome' && isLogResult(value)) return t(`outcome.result.${value}`)
  if (name === 'stream') return t(value === 'true' ? 'log.receipt.stream' : 'log.receipt.whole')
  return label
}

const isChosen = (name: LogFacet, current: string, value: string) =>
  name === 'outcome' ? current.split(',').includes(value) : current === value

/** Results are a list; every other field has a single value. */
function toggled(name: LogFacet, current: string, value: string): string {
  if (name !== 'outcome') return current === value ? '' : value
  const chosen = current.split(',').filter((result) => result !== '')
  const next = chosen.includes(value)
    ? chosen.filter((result) => result !== value)
    : [...chosen, value]
  return next.join(',')
}
