import type { BillImport } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import classes from './bills.module.css'

const SHOWN = 20

/** Why an import failed, by line and column. */
export function Problems({ failed }: { failed: Pick<BillImport, 'error' | 'problems'> }) {
  const { t } = useTranslation()
  const { error, problems } = failed
  return (
    <div className={classes['bad']} role="alert">
      <p>{error === '' ? t('bill.import.refused') : t('bill.import.failed', { reason: error })}</p>
      <ul>
        {problems.slice(0, SHOWN).map(({ line, column, problem }) => {
          const text = t(`bill.problem.${problem}`)
          const place = { line: formatNumber(line), column, text }
          const key = `${line} ${column} ${problem}`
          if (line === 0) return <li key={key}>{text}</li>
          return (
            <li key={key}>
              {column === '' ? t('bill.import.atLine', place) : t('bill.import.atColumn', place)}
            </li>
          )
        })}
      </ul>
      {problems.length > SHOWN && (
        <p>{t('bill.import.more', { number: formatNumber(problems.length - SHOWN) })}</p>
      )}
    </div>
  )
}
