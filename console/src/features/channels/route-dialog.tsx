import { Autocomplete, Button, Group, Modal, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { groupsQuery } from '../../lib/groups.ts'
import { allModels, modelsQuery } from '../../lib/models.ts'
import { errorText } from '../../lib/report-error.ts'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import classes from './channels.module.css'
import { routeQuery } from './queries.ts'
import { RouteTable } from './route-table.tsx'
import './route.messages.ts'

const OPTIONS_SHOWN = 100
const GROUP = 'default'

export function RouteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const [model, setModel] = useState('')
  const [group, setGroup] = useState(GROUP)
  const [isListOpen, list] = useDisclosure()
  const [request, setRequest] = useState<{ model: string; group: string } | null>(null)
  const models = useQuery(modelsQuery)
  const groups = useQuery(groupsQuery)
  const route = useQuery(routeQuery(request))
  const ask = (event: SyntheticEvent) => {
    event.preventDefault()
    // The list would cover the answer.
    list.close()
    const nextRequest = { model: model.trim(), group }
    if (nextRequest.model === '') return
    if (request?.model === nextRequest.model && request.group === group) void route.refetch()
    setRequest(nextRequest)
  }
  return (
    <Modal
      opened
      // Top-aligned, so that only the lower edge moves when the answer arrives.
      centered={false}
      size={720}
      onClose={onClose}
      title={t('channel.bulk.routeTitle')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <form onSubmit={ask}>
        <div className={classes['pair']}>
          <Autocomplete
            data-autofocus
            label={t('route.model')}
            data={allModels(models.data)}
            limit={OPTIONS_SHOWN}
            value={model}
            onChange={setModel}
            maxLength={200}
            openOnFocus={false}
            dropdownOpened={isListOpen}
            onDropdownOpen={list.open}
            onDropdownClose={list.close}
          />
          <Select
            label={t('route.group')}
            data={groups.data ?? [GROUP]}
            searchable
            allowDeselect={false}
            nothingFoundMessage={t('common.form.noResults')}
            value={group}
            onChange={(next) => setGroup(next ?? GROUP)}
            openOnFocus={false}
          />
        </div>
        <Group justify="space-between" mt="md" gap="sm">
          <span className={classes['dimmed']}>{t('route.hint')}</span>
          <Button type="submit" ml="auto" loading={route.isFetching} disabled={model.trim() === ''}>
            {t('route.show')}
          </Button>
        </Group>
      </form>
      <div className={classes['outcome']} role="status">
        {route.isError && (
          <span className={classes['value']} data-tone="bad">
            {errorText(route.error)}
          </span>
        )}
        {route.data && request && <RouteTable entries={route.data} model={request.model} />}
      </div>
    </Modal>
  )
}
