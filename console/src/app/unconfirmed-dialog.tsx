import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import {
  isOptionKey,
  OPTION_SECTIONS,
  type OptionKey,
  optionEndpoints,
  OPTIONS,
  type UnconfirmedChange,
} from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import { call } from '../lib/api.ts'
import { Link } from '../lib/router/router.tsx'
import { showSuccess } from '../lib/toast.ts'
import { unconfirmedQuery } from '../lib/unconfirmed.ts'
import { DescriptionList } from '../ui/description-list.tsx'
import { Time } from '../ui/time.tsx'
import { useFocusReturn } from '../ui/use-focus-return.ts'
import classes from './unconfirmed.module.css'

type Props = { changes: readonly UnconfirmedChange[]; onClose: () => void }

export function UnconfirmedDialog({ changes, onClose }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  useFocusReturn()
  // A snapshot: changes that arrive later must not be confirmed unread.
  const [shown, setShown] = useState(changes)
  const count = shown.length
  const readAgain = async () => {
    await client.refetchQueries({ queryKey: unconfirmedQuery.queryKey })
    return client.getQueryData(unconfirmedQuery.queryKey) ?? []
  }
  const confirm = useMutation({
    mutationFn: () =>
      call(optionEndpoints.confirmOptions, { body: { ids: shown.map(({ id }) => id) } }),
    onSuccess: async () => {
      showSuccess(t('unconfirmed.dialog.done', { count }))
      onClose()
      await readAgain()
    },
    onError: async () => {
      const fresh = await readAgain()
      if (fresh.length > 0) setShown(fresh)
    },
  })
  return (
    <Modal
      opened
      size={680}
      onClose={onClose}
      title={t('unconfirmed.dialog.title')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <Stack gap="lg">
        <Text>{t('unconfirmed.dialog.hint')}</Text>
        <ul className={classes['changes']}>
          {shown.map((change) => (
            <Change key={change.id} change={change} onLeave={onClose} />
          ))}
        </ul>
        <Group justify="flex-end" gap="sm" className={classes['buttons'] ?? ''}>
          <Button variant="default" data-autofocus onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <Button loading={confirm.isPending} onClick={() => confirm.mutate()}>
            {t('unconfirmed.dialog.confirm', { count })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Change({ change, onLeave }: { change: UnconfirmedChange; onLeave: () => void }) {
  const { t } = useTranslation()
  const titleId = useId()
  const { key, actor_name: name, created_at } = change
  const label = isOptionKey(key) ? OPTIONS[key].label[currentLanguage()] : key
  return (
    <li aria-labelledby={titleId}>
      <div className={classes['head']}>
        <h3 id={titleId} className={classes['name']}>
          {label} <code className={classes['key']}>{key}</code>
        </h3>
        {isOptionKey(key) && (
          <Link to={pathOf(key)} onClick={onLeave} aria-describedby={titleId}>
            {t('unconfirmed.dialog.open')}
          </Link>
        )}
      </div>
      <DescriptionList
        items={[
          ...useSides(change),
          {
            name: t('unconfirmed.dialog.changed'),
            value: (
              <>
                {`${name} · `}
                <Time seconds={created_at} />
              </>
            ),
          },
        ]}
      />
    </li>
  )
}

/** Values before and after; for a secret only whether it was set or removed. */
function useSides({ key, before, after }: UnconfirmedChange): { name: string; value: ReactNode }[] {
  const { t } = useTranslation()
  const now = t('unconfirmed.dialog.after')
  if (isOptionKey(key) && OPTIONS[key].secret) {
    const what = after === '' ? 'unconfirmed.dialog.secretRemoved' : 'unconfirmed.dialog.secretSet'
    return [{ name: now, value: t(what) }]
  }
  const shownValue = (value: string) => {
    if (value === '') return <span className={classes['dim']}>{t('unconfirmed.dialog.empty')}</span>
    if (isOptionKey(key) && isSwitch(key)) {
      return t(value === 'true' ? 'unconfirmed.dialog.on' : 'unconfirmed.dialog.off')
    }
    return <code className={classes['value']}>{value}</code>
  }
  return [
    { name: t('unconfirmed.dialog.before'), value: shownValue(before) },
    { name: now, value: shownValue(after) },
  ]
}

function pathOf(key: OptionKey): string {
  const { section } = OPTIONS[key]
  return `/setting/${OPTION_SECTIONS[section].tab}#${section}`
}

const isSwitch = (key: OptionKey) => typeof OPTIONS[key].default === 'boolean'
