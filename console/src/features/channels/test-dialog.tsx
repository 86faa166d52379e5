import { Button, Group, Modal, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '@tollgate/contract'
import { formatDuration, splitList } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import classes from './channels.module.css'
import { useTestChannel } from './use-test-channel.ts'

const OPTIONS_SHOWN = 100

export function TestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation()
  const { id, name } = channel
  const models = splitList(channel.models)
  const [model, setModel] = useState(models[0] ?? '')
  const test = useTestChannel()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('channel.action.testTitle', { name })}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <Stack gap="lg">
        <Select
          label={t('channel.action.testModel')}
          description={t('channel.action.testHint')}
          data={models}
          searchable
          nothingFoundMessage={t('common.form.noResults')}
          limit={OPTIONS_SHOWN}
          allowDeselect={false}
          value={model}
          onChange={(next) => setModel(next ?? '')}
          openOnFocus={false}
        />
        <div className={classes['outcome']} role="status">
          {test.isPending && t('channel.list.testing')}
          {test.isSuccess && (
            <span className={classes['value']} data-tone="good">
              {t('channel.action.testOk', {
                model: test.data.extra.model,
                time: formatDuration(test.data.data * 1000),
              })}
            </span>
          )}
          {test.isError && (
            <span className={classes['value']} data-tone="bad">
              {errorText(test.error)}
            </span>
          )}
        </div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.action.close')}
          </Button>
          <Button
            data-autofocus
            loading={test.isPending}
            onClick={() => test.mutate({ id, name, model })}
          >
            {t('channel.action.test')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
