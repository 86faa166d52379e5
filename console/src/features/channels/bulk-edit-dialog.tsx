import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { addTexts, joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { NO_VALUE, splitList, typedList } from '../../lib/format.ts'
import type { BulkJob } from '../../lib/use-bulk.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { bulkEditMessages } from './bulk-edit.messages.ts'
import { type BulkEdit, changesOf, emptied, isMapping, isNumber, NO_EDIT } from './bulk-edit.ts'
import classes from './channels.module.css'
import { TagField } from './tag-field.tsx'
import { UnknownGroups } from './unknown-groups.tsx'

addTexts('bulkEdit', bulkEditMessages)

type Props = {
  channels: readonly Channel[]
  onApply: (job: BulkJob<Channel>) => void
  onClose: () => void
}

const NUMBERS = ['priority', 'weight'] as const
const LISTS = ['addGroups', 'removeGroups', 'addModels', 'removeModels'] as const

/** Changes several channels at once, after a preview of what changes where. */
export function BulkEditDialog({ channels, onApply, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const [edit, setEdit] = useState(NO_EDIT)
  /** The groups when their field was left, so that half a name is not reported. */
  const [leftGroups, setLeftGroups] = useState('')
  const isValid = NUMBERS.every((name) => isNumber(edit[name])) && isMapping(edit.mapping)
  const rows = isValid ? channels.filter((channel) => changesOf(channel, edit) !== null) : []
  const broken = emptied(channels, edit)
  const field = (name: keyof Omit<BulkEdit, 'tag' | 'mapping'>) => ({
    label: t(`bulkEdit.${name}`),
    value: edit[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setEdit({ ...edit, [name]: value }),
  })
  const apply = () => {
    onApply({
      rows,
      each: (channel) =>
        call(channelEndpoints.updateChannel, {
          body: { id: channel.id, ...changesOf(channel, edit) },
        }),
    })
    onClose()
  }
  return (
    <FormDialog onClose={onClose} size="lg" title={t('bulkEdit.title', { count: channels.length })}>
      <Stack gap="md">
        <Text size="sm">{t('bulkEdit.hint')}</Text>
        <div className={classes['pair']}>
          {NUMBERS.map((name) => (
            <TextInput
              key={name}
              {...field(name)}
              inputMode="numeric"
              error={isNumber(edit[name]) ? undefined : t('bulkEdit.number')}
            />
          ))}
          {LISTS.map((name) => (
            <TextInput
              key={name}
              {...field(name)}
              description={t('bulkEdit.listHint')}
              onBlur={() => setLeftGroups(edit.addGroups)}
            />
          ))}
        </div>
        <UnknownGroups groups={typedList(leftGroups)} />
        <Checkbox
          label={t('bulkEdit.setTag')}
          checked={edit.tag !== null}
          onChange={({ currentTarget: { checked } }) =>
            setEdit({ ...edit, tag: checked ? '' : null })
          }
        />
        {edit.tag !== null && (
          <TagField
            description={t('bulkEdit.tagHint')}
            value={edit.tag}
            onChange={(tag) => setEdit({ ...edit, tag })}
          />
        )}
        <Checkbox
          label={t('bulkEdit.setMapping')}
          checked={edit.mapping !== null}
          onChange={({ currentTarget: { checked } }) =>
            setEdit({ ...edit, mapping: checked ? '' : null })
          }
        />
        {edit.mapping !== null && (
          <Textarea
            label={t('bulkEdit.mapping')}
            description={t('bulkEdit.mappingHint')}
            error={isMapping(edit.mapping) ? undefined : t('bulkEdit.mappingError')}
            autosize
            minRows={2}
            spellCheck={false}
            value={edit.mapping}
            onChange={({ currentTarget: { value } }) => setEdit({ ...edit, mapping: value })}
          />
        )}
        <Preview channels={rows} edit={edit} />
        {broken.length > 0 && (
          <Text size="sm" c="red" role="alert">
            {t('bulkEdit.emptied', { names: joinNames(broken.map(({ name }) => name)) })}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <Button disabled={rows.length === 0 || broken.length > 0} onClick={apply}>
            {t('bulkEdit.apply', { count: rows.length })}
          </Button>
        </Group>
      </Stack>
    </FormDialog>
  )
}

const MAPPING_SHOWN = 80

function shortened(mapping: string): string {
  const text = mapping.replaceAll(/\s+/g, ' ')
  if (text === '') return NO_VALUE
  return text.length > MAPPING_SHOWN ? `${text.slice(0, MAPPING_SHOWN)}…` : text
}

function Preview({ channels, edit }: { channels: readonly Channel[]; edit: BulkEdit }) {
  const { t } = useTranslation()
  const lineOf = (channel: Channel) => {
    const { priority, weight, tag, group, models, model_mapping } = changesOf(channel, edit) ?? {}
    const line = (field: string, before: string | number, after: string | number) =>
      t('bulkEdit.from', { field, before, after })
    const counted = (list: string) => splitList(list).length
    return [
      priority !== undefined && line(t('bulkEdit.priority'), channel.priority, priority),
      weight !== undefined && line(t('bulkEdit.weight'), channel.weight, weight),
      tag !== undefined && line(t('channel.tag.label'), channel.tag || NO_VALUE, tag || NO_VALUE),
      group !== undefined && line(t('channel.column.group'), channel.group, group),
      models !== undefined &&
        line(t('channel.column.models'), counted(channel.models), counted(models)),
      model_mapping !== undefined &&
        line(t('bulkEdit.mapping'), shortened(channel.model_mapping), shortened(model_mapping)),
    ]
      .filter((text) => text !== false)
      .join(' · ')
  }
  return (
    <section aria-label={t('bulkEdit.preview')} aria-live="polite">
      {channels.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('bulkEdit.none')}
        </Text>
      ) : (
        <ul className={classes['preview']}>
          {channels.map((channel) => (
            <li key={channel.id}>
              <strong>{channel.name}</strong> {lineOf(channel)}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
