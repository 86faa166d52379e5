import { useQuery } from '@tanstack/react-query'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { groupsQuery } from '../../lib/groups.ts'
import classes from './channels.module.css'

const USUAL = 'default'

/** Warns about groups that no user can be in, such as misspelt ones. */
export function UnknownGroups({ groups }: { groups: readonly string[] }) {
  const { t } = useTranslation()
  // Most channels serve the usual group only, and their forms load no list.
  const isAsked = groups.some((group) => group !== USUAL)
  const { data } = useQuery({ ...groupsQuery, enabled: isAsked })
  const unknown = data === undefined ? [] : groups.filter((group) => !data.includes(group))
  const count = unknown.length
  return (
    <p className={classes['warning']} role="status">
      {count > 0 && t('channelForm.groupsUnknown', { count, names: joinNames(unknown) })}
    </p>
  )
}
