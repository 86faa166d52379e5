import { Button, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { optionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { useRefusedFields } from '../../lib/use-refused-fields.ts'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { optionsQuery } from './queries.ts'

const FIELDS = ['from', 'to']

export function MoveDialog({
  groups,
  onClose,
}: {
  groups: readonly string[]
  onClose: () => void
}) {
  const { t } = useTranslation()
  useFocusReturn()
  const [from, setFrom] = useState(groups[0] ?? '')
  const [to, setTo] = useState('')
  const { refused, forget, refOf } = useRefusedFields(FIELDS)
  const moving = useChange(optionsQuery.queryKey, (move: { from: string; to: string }) =>
    call(optionEndpoints.moveGroup, { body: move }),
  )
  const isReady = to.trim() !== '' && to.trim() !== from
  const move = () =>
    moving.mutate(
      { from, to: to.trim() },
      {
        onSuccess: ({ data }) => {
          onClose()
          showSuccess(t('settings.group.moved', data))
        },
      },
    )
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('settings.group.move')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <Stack gap="lg">
        <Text size="sm">{t('settings.group.hint')}</Text>
        <NativeSelect
          ref={refOf('from')}
          label={t('settings.group.from')}
          data={[...groups]}
          value={from}
          onChange={(event) => {
            setFrom(event.currentTarget.value)
            forget()
          }}
          error={refused['from']}
        />
        <TextInput
          ref={refOf('to')}
          label={t('settings.group.to')}
          value={to}
          onChange={(event) => {
            setTo(event.currentTarget.value)
            forget()
          }}
          error={refused['to']}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <Button disabled={!isReady} loading={moving.isPending} onClick={move}>
          {t('settings.group.confirm')}
        </Button>
      </Stack>
    </Modal>
  )
}
