import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type ChannelImport, channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { refusalOf } from '../../lib/call.ts'
import { formatNumber } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FileButton } from '../../ui/file-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import classes from './channels.module.css'
import { ImportPreview } from './import-preview.tsx'
import { CHANNELS } from './queries.ts'
import './channel-files.messages.ts'

const NAMES = { tollgate: 'Tollgate', newApi: 'New API', oneApi: 'One API', oneHub: 'one-hub' }

/** Without the blanks of a formatted file; null if the text is not JSON. */
function compactJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return null
  }
}

/** Shows what a file would change, and imports it. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const [file, setFile] = useState<{ name: string; content: string | null } | null>(null)
  const preview = useMutation({
    mutationFn: async (content: string) => {
      const body = { file: content }
      return (await call(channelEndpoints.previewChannelImport, { body })).data
    },
  })
  const apply = useChange(CHANNELS, async (body: { file: string; digest: string }) => {
    return (await call(channelEndpoints.importChannels, { body })).data
  })
  const choose = async (chosen: File) => {
    const content = compactJson(await chosen.text())
    setFile({ name: chosen.name, content })
    preview.reset()
    if (content !== null) preview.mutate(content)
  }
  const content = file?.content ?? null
  const begin = (given: string, digest: string) =>
    apply.mutate(
      { file: given, digest },
      {
        onSuccess: (done) => {
          showSuccess(t('channelFiles.done', numbersOf(done)))
          onClose()
        },
        onError: (error) => {
          if (refusalOf(error)) preview.mutate(given)
        },
      },
    )
  return (
    <FormDialog size="xl" onClose={onClose} title={t('channelFiles.import')}>
      <Stack gap="md">
        <Text size="sm">{t('channelFiles.importHint')}</Text>
        <Group gap="sm">
          <FileButton
            accept=".json,application/json"
            loading={preview.isPending}
            onFile={(chosen) => void choose(chosen)}
          >
            {t('channelFiles.choose')}
          </FileButton>
          {file && (
            <Text c="dimmed" className={classes['fileName']}>
              {file.name}
            </Text>
          )}
        </Group>
        {file && content === null && (
          <Text size="sm" c="red" role="alert">
            {t('channelFiles.notJson')}
          </Text>
        )}
        {content !== null && preview.data && (
          <>
            <Text size="sm" c="dimmed">
              {t('channelFiles.source', { name: NAMES[preview.data.source] })}
            </Text>
            <ImportPreview channels={preview.data.channels} />
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={onClose}>
                {t('common.action.cancel')}
              </Button>
              <ApplyButton
                planned={preview.data}
                isBusy={apply.isPending || preview.isPending}
                onApply={() => begin(content, preview.data.digest)}
              />
            </Group>
          </>
        )}
      </Stack>
    </FormDialog>
  )
}

const countOf = ({ channels }: ChannelImport, state: string) =>
  channels.filter((channel) => channel.state === state).length

const numbersOf = (planned: ChannelImport) => ({
  added: formatNumber(countOf(planned, 'new')),
  changed: formatNumber(countOf(planned, 'changed')),
})

type ApplyProps = { planned: ChannelImport; isBusy: boolean; onApply: () => void }

function ApplyButton({ planned, isBusy, onApply }: ApplyProps) {
  const { t } = useTranslation()
  const isIdle = countOf(planned, 'new') + countOf(planned, 'changed') === 0
  return (
    <Button disabled={isIdle} loading={isBusy} onClick={onApply}>
      {isIdle ? t('channelFiles.begin') : t('channelFiles.beginAll', numbersOf(planned))}
    </Button>
  )
}
