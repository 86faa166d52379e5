import { Button, Group, Modal, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { type Channel, KEY_REFUSED, TEST_ENDPOINTS, type TestEndpoint } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { refusalOf } from '../../lib/call.ts'
import { formatDuration, splitList } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link } from '../../lib/router/router.tsx'
import classes from './channels.module.css'
import { useEndpointName } from './use-endpoint-name.ts'
import { useTestChannel } from './use-test-channel.ts'

const OPTIONS_SHOWN = 100

export function TestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation()
  const { id, name } = channel
  const models = splitList(channel.models)
  const [model, setModel] = useState(models[0] ?? '')
  const [endpoint, setEndpoint] = useState<TestEndpoint | ''>('')
  const test = useTestChannel({ isQuiet: true })
  const endpointName = useEndpointName()
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
        <Select
          label={t('channel.action.testEndpoint')}
          data={[
            { value: '', label: t('channel.action.testByModel') },
            ...TEST_ENDPOINTS.map((value) => ({ value, label: t(`channel.endpoint.${value}`) })),
          ]}
          allowDeselect={false}
          value={endpoint}
          onChange={(next) => setEndpoint(TEST_ENDPOINTS.find((one) => one === next) ?? '')}
        />
        <div className={classes['outcome']} role="status">
          {test.isPending && t('channel.list.testing')}
          {test.isSuccess && (
            <span className={classes['value']} data-tone="good">
              {t('channel.action.testOk', {
                model: test.data.extra.model,
                endpoint: endpointName(test.data.extra.endpoint),
                time: formatDuration(Math.round(test.data.data * 1000)),
              })}
            </span>
          )}
          {test.isError && (
            <span className={classes['value']} data-tone="bad">
              {errorText(test.error)}
            </span>
          )}
          {test.isError && refusalOf(test.error)?.code === KEY_REFUSED && (
            <Link
              className={classes['help'] ?? ''}
              to={`/channel/${id}?tab=keys`}
              onClick={onClose}
              aria-label={t('channel.health.keyOf', { name })}
            >
              {t('channel.health.key')}
            </Link>
          )}
        </div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.action.close')}
          </Button>
          <Button
            data-autofocus
            loading={test.isPending}
            onClick={() => test.mutate({ id, name, model, endpoint: endpoint || undefined })}
          >
            {t('channel.action.test')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
