import { Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { QUOTA_MAX, topUpEndpoints, type User, userEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatQuota } from '../../lib/format.ts'
import { groupsQuery } from '../../lib/groups.ts'
import { useMoney } from '../../lib/status.ts'
import type { BulkJob } from '../../lib/use-bulk.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { QuotaField } from '../../ui/quota-field.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import './bulk.messages.ts'
import type { GrantAttempts } from './grant-attempts.ts'
import classes from './users.module.css'

type Props = {
  kind: 'group' | 'grant'
  users: readonly User[]
  attempts: GrantAttempts
  onApply: (job: BulkJob<User>) => void
  onClose: () => void
}

/** Changes several users at once, after a preview of what changes for whom. */
export function BulkDialog({ kind, ...props }: Props) {
  return kind === 'group' ? <GroupDialog {...props} /> : <GrantAllDialog {...props} />
}

type Part = Omit<Props, 'kind'>

function GroupDialog({ users, onApply, onClose }: Part) {
  const { t } = useTranslation()
  const groups = useQuery(groupsQuery)
  const [chosen, setChosen] = useState<string[]>([])
  const group = chosen.join(',')
  const rows = group === '' ? [] : users.filter((user) => user.group !== group)
  return (
    <Frame
      title={t('userBulk.groupTitle', { count: users.length })}
      lines={rows.map((user) => ({ user, text: `${user.group} → ${group}` }))}
      verb={t('userBulk.groupVerb', { count: rows.length })}
      onClose={onClose}
      onApply={() => {
        onApply({
          rows,
          each: ({ id }) => call(userEndpoints.updateUser, { body: { id, group } }),
        })
      }}
    >
      <MultiSelect
        label={t('user.form.group')}
        description={t('user.form.groupHint')}
        data={groups.data ?? []}
        value={chosen}
        onChange={setChosen}
        searchable
        data-autofocus
      />
    </Frame>
  )
}

function GrantAllDialog({ users, attempts, onApply, onClose }: Part) {
  const { t } = useTranslation()
  const money = useMoney()
  const [quota, setQuota] = useState(money.quotaPerUnit)
  const [remark, setRemark] = useState('')
  const isValid = Number.isInteger(quota) && quota >= 1 && quota <= QUOTA_MAX
  const rows = isValid
    ? users.filter(({ id }) => !attempts.isDone({ userId: id, quota, remark }))
    : []
  const credited = isValid ? users.length - rows.length : 0
  const total = formatQuota(isValid ? quota * rows.length : 0, money)
  return (
    <Frame
      title={t('userBulk.grantTitle', { count: users.length })}
      lines={rows.map((user) => ({
        user,
        text: `${formatQuota(user.quota, money)} → ${formatQuota(user.quota + quota, money)}`,
      }))}
      verb={t('userBulk.grantVerb', { total })}
      onClose={onClose}
      onApply={() => {
        onApply({
          rows,
          each: ({ id }) =>
            attempts.run({ userId: id, quota, remark }, (transaction_id) =>
              call(topUpEndpoints.grantQuota, {
                body: { user_id: id, quota, remark, transaction_id },
              }),
            ),
          onDone: () => attempts.clear(),
        })
      }}
    >
      <QuotaField
        label={t('userBulk.each')}
        description={t('user.grant.quotaHint')}
        error={isValid ? undefined : t('user.grant.quotaError')}
        money={money}
        value={quota}
        onChange={setQuota}
        data-autofocus
      />
      <TextInput
        label={t('user.grant.remark')}
        description={t('user.grant.remarkHint')}
        autoComplete="off"
        maxLength={200}
        value={remark}
        onChange={({ currentTarget: { value } }) => setRemark(value)}
      />
      {credited > 0 && (
        <Text size="sm" role="status">
          {t('userBulk.credited', { count: credited })}
        </Text>
      )}
    </Frame>
  )
}

type FrameProps = {
  title: string
  lines: readonly { user: User; text: string }[]
  verb: string
  onApply: () => void
  onClose: () => void
  children: React.ReactNode
}

function Frame({ title, lines, verb, onApply, onClose, children }: FrameProps) {
  const { t } = useTranslation()
  useFocusReturn()
  return (
    <FormDialog onClose={onClose} size="lg" title={title}>
      <Stack gap="md">
        {children}
        <section aria-label={t('userBulk.preview')} aria-live="polite">
          {lines.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('userBulk.none')}
            </Text>
          ) : (
            <ul className={classes['preview']}>
              {lines.map(({ user, text }) => (
                <li key={user.id}>
                  <strong>{user.username}</strong> {text}
                </li>
              ))}
            </ul>
          )}
        </section>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <Button
            disabled={lines.length === 0}
            onClick={() => {
              onApply()
              onClose()
            }}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </FormDialog>
  )
}
