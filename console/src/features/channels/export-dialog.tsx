import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { channelEndpoints, isRoot } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { downloadText } from '../../lib/download.ts'
import { formatTime } from '../../lib/format.ts'
import { getSession } from '../../lib/session.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import './channel-files.messages.ts'

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const [withKeys, setWithKeys] = useState(false)
  const mayHaveKeys = isRoot(getSession()?.role ?? 0)
  const download = useMutation({
    mutationFn: async () => {
      const { exportChannels, exportChannelKeys } = channelEndpoints
      return (await call(withKeys ? exportChannelKeys : exportChannels, {})).data
    },
    onSuccess: (file) => {
      const day = formatTime(Date.now() / 1000).slice(0, 10)
      const text = `${JSON.stringify(file, null, 2)}\n`
      downloadText(`channels-${day}.json`, text, 'application/json')
      showSuccess(t('channelFiles.exported', { count: file.channels.length }))
      onClose()
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('channelFiles.export')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <Stack gap="md">
        <Text size="sm">{t('channelFiles.exportHint')}</Text>
        <Checkbox
          label={t('channelFiles.withKeys')}
          description={t('channelFiles.withKeysHint')}
          checked={withKeys}
          disabled={!mayHaveKeys}
          onChange={({ currentTarget: { checked } }) => setWithKeys(checked)}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <Button loading={download.isPending} onClick={() => download.mutate()}>
            {t('channelFiles.download')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
