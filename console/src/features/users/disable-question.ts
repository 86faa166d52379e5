import type { User } from '@tollgate/contract'
import { joinNames, t } from '../../i18n/texts.ts'
import type { Question } from '../../lib/confirm.ts'

export function disableQuestion(users: readonly User[]): Question {
  const verb = t('user.action.bulkDisable', { count: users.length })
  const names = joinNames(users.map(({ username }) => username))
  return { title: `${verb}?`, body: t('user.action.bulkDisableBody', { names }), verb }
}
