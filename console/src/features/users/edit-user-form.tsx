import { MultiSelect, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { z } from 'zod'
import {
  displayName,
  password,
  quota,
  type User,
  userEndpoints,
  username,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { splitList } from '../../lib/format.ts'
import { groupsQuery } from '../../lib/groups.ts'
import { newRepeatId } from '../../lib/repeat-id.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { isUnlimited } from '../../lib/unlimited.ts'
import { useChange } from '../../lib/use-change.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { FormShell } from '../../ui/form-shell.tsx'
import { QuotaField } from '../../ui/quota-field.tsx'
import { USERS } from './queries.ts'

const editForm = z.object({
  username: checked(username, 'user.form.usernameError'),
  display_name: checked(displayName, 'user.form.displayNameError'),
  password: checked(z.union([z.literal(''), password]), 'user.form.passwordError'),
  groups: z.array(z.string()),
  quota: checked(quota, 'user.form.quotaError'),
})

type Values = z.output<typeof editForm>
/** Captured when the form opens; later refetches must not change it. */
type Shown = { user: User; editId: string }

const valuesOf = (user: User): Values => ({
  username: user.username,
  display_name: user.display_name,
  password: '',
  groups: splitList(user.group),
  quota: user.quota,
})

/** The form's name of a field of the API. */
const fieldOf = (path: string) => (path === 'group' ? 'groups' : path)

/**
 * Sends the quota shown, so that the server applies only the difference. The edit id makes the
 * quota change take effect once, even if a save is repeated after a lost answer.
 */
function bodyOf({ user, editId }: Shown, { groups, quota, ...rest }: Values) {
  return {
    id: user.id,
    ...rest,
    group: groups.length === 0 ? 'default' : groups.join(','),
    quota,
    quota_seen: user.quota,
    edit_id: editId,
  }
}

export function EditUserForm({ user }: { user: User }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const groups = useQuery(groupsQuery)
  const [shown] = useState(() => ({ user, editId: newRepeatId() }))
  const form = useZodForm(editForm, valuesOf(user), fieldOf)
  const hints = useHints(form)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  const save = useChange(USERS, (values: Values) =>
    call(userEndpoints.updateUser, { body: bodyOf(shown, values) }),
  )
  const onSaved = () => {
    allowLeave()
    void navigate('/user')
    showSuccess(t('user.form.saved'))
  }
  const known = [...new Set([...(groups.data ?? []), ...splitList(user.group)])]
  return (
    <FormShell
      onSubmit={form.handleSubmit((values) => save.mutate(values, { onSuccess: onSaved }))}
      onCancel={() => void navigate('/user')}
      isSaving={save.isPending}
    >
      <TextInput
        label={t('user.form.username')}
        autoComplete="off"
        {...form.register('username')}
        {...hints('username', t('user.form.usernameHint'))}
      />
      <TextInput
        label={t('user.form.displayName')}
        autoComplete="off"
        {...form.register('display_name')}
        {...hints('display_name', t('user.form.displayNameKeep'))}
      />
      <PasswordInput
        label={t('user.form.password')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
        {...form.register('password')}
        {...hints('password', t('user.form.passwordKeep'))}
      />
      <Quota form={form} hints={hints} before={shown.user} />
      <Controller
        control={form.control}
        name="groups"
        render={({ field }) => (
          <MultiSelect
            label={t('user.form.group')}
            data={known}
            nothingFoundMessage={t('common.form.noResults')}
            {...field}
            {...hints('groups', t('user.form.groupHint'))}
          />
        )}
      />
      <Bound label={t('user.form.github')} value={user.github_id} />
      <Bound label={t('user.form.wechat')} value={user.wechat_id} />
      <Bound label={t('user.form.email')} value={user.email} />
    </FormShell>
  )
}

type QuotaProps = {
  form: UseFormReturn<Values>
  hints: ReturnType<typeof useHints<Values>>
  before: User
}

/** A quota without a limit is a switch, until it is turned off. */
function Quota({ form, hints, before }: QuotaProps) {
  const { t } = useTranslation()
  const money = useMoney()
  const canBeUnlimited = isUnlimited(before)
  const [isTurnedOff, setIsTurnedOff] = useState(false)
  // After a new login the amount that was typed is back, and the switch has to say so.
  const isLimited = !canBeUnlimited || isTurnedOff || form.watch('quota') !== before.quota
  const limit = (next: boolean) => {
    setIsTurnedOff(next)
    form.setValue('quota', next ? Number.NaN : before.quota, { shouldDirty: true })
  }
  return (
    <>
      {canBeUnlimited && (
        <Switch
          label={t('user.form.unlimited')}
          description={t('user.form.unlimitedHint')}
          checked={!isLimited}
          onChange={({ currentTarget }) => limit(!currentTarget.checked)}
        />
      )}
      {isLimited && (
        <Controller
          control={form.control}
          name="quota"
          render={({ field }) => (
            <QuotaField
              label={t('user.form.quota')}
              money={money}
              {...field}
              {...hints('quota', t('user.form.quotaHint'))}
            />
          )}
        />
      )}
    </>
  )
}

/** Read-only: only users themselves can change this, in their settings. */
function Bound({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={label}
      value={value === '' ? t('user.form.unbound') : value}
      description={t('user.form.onlyUser')}
      readOnly
      variant="filled"
    />
  )
}
