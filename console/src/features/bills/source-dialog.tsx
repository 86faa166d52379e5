import {
  Button,
  MultiSelect,
  NativeSelect,
  PasswordInput,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { Controller } from 'react-hook-form'
import { BILL_KINDS, type BillSource } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { BILLS, type ChannelName, saveSource } from './queries.ts'
import { draftOf, sourceForm, valuesOf } from './source-values.ts'

type Props = {
  /** Null for a new source. */
  source: BillSource | null
  channels: readonly ChannelName[]
  onClose: () => void
}

export function SourceDialog({ source, channels, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const form = useZodForm(sourceForm, valuesOf(source))
  const hints = useHints(form)
  const saving = useChange(BILLS, saveSource)
  const kind = form.watch('kind')
  const hasApi = kind !== 'csv'
  const submit = form.handleSubmit((values) => {
    if (saving.isPending) return
    const onSuccess = () => {
      onClose()
      showSuccess(t('bill.form.saved'))
    }
    saving.mutate({ id: source?.id ?? null, draft: draftOf(values) }, { onSuccess })
  })
  const text = (name: 'name' | 'account' | 'currency' | 'rate' | 'zone', hint?: string) => (
    <TextInput
      label={t(`bill.form.${name}`)}
      autoComplete="off"
      spellCheck={false}
      {...form.register(name)}
      {...hints(name, hint)}
    />
  )
  return (
    <FormDialog
      onClose={onClose}
      title={source ? t('bill.form.edit', { name: source.name }) : t('bill.source.add')}
    >
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="lg">
          {text('name')}
          <NativeSelect
            label={t('bill.form.kind')}
            data={BILL_KINDS.map((value) => ({ value, label: t(`bill.kind.${value}`) }))}
            {...form.register('kind')}
          />
          <Controller
            control={form.control}
            name="channels"
            render={({ field: { name, value, onChange, onBlur, ref } }) => (
              <MultiSelect
                ref={ref}
                label={t('bill.form.channels')}
                data={channels.map(({ id, name }) => ({
                  value: String(id),
                  label: `${id} · ${name}`,
                }))}
                searchable
                name={name}
                value={value}
                onChange={onChange}
                onBlur={onBlur}
                {...hints('channels', t('bill.form.channelsHint'))}
              />
            )}
          />
          {hasApi && (
            <>
              <PasswordInput
                label={t('bill.form.key')}
                autoComplete="off"
                placeholder={source?.key_set === true ? t('bill.form.keySet') : ''}
                {...form.register('key')}
                {...hints(
                  'key',
                  t(kind === 'gateway' ? 'bill.form.tokenHint' : 'bill.form.keyHint'),
                )}
              />
              <TextInput
                label={t('bill.form.url')}
                autoComplete="off"
                spellCheck={false}
                {...form.register('url')}
                {...hints('url', kind === 'gateway' ? undefined : t('bill.form.urlHint'))}
              />
              {kind === 'gateway' && text('account', t('bill.form.accountHint'))}
              <TextInput
                label={t('bill.form.hours')}
                inputMode="numeric"
                autoComplete="off"
                {...form.register('every_hours')}
                {...hints('every_hours')}
              />
            </>
          )}
          <TextInput
            label={t('bill.form.percent')}
            inputMode="decimal"
            autoComplete="off"
            {...form.register('alert_percent')}
            {...hints('alert_percent')}
          />
          {text('currency')}
          {text('rate', t('bill.form.rateHint'))}
          {text('zone', t('bill.form.zoneHint'))}
          {(['aliases', 'keys'] as const).map((name) => (
            <Textarea
              key={name}
              label={t(`bill.form.${name}`)}
              autosize
              minRows={2}
              maxRows={8}
              spellCheck={false}
              {...form.register(name)}
              {...hints(name, t(`bill.form.${name}Hint`))}
            />
          ))}
          <Button type="submit" loading={saving.isPending}>
            {t('common.action.save')}
          </Button>
        </Stack>
      </form>
    </FormDialog>
  )
}
