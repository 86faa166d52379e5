import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { FEED_KINDS, type PriceFeed } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { draftOf, feedForm, valuesOf } from './feed-values.ts'
import { PRICES, saveFeed } from './queries.ts'

const NUMBERS = [
  ['every_hours', 'hours'],
  ['alert_percent', 'percent'],
  ['stale_days', 'days'],
] as const

type Props = {
  /** Null for a new feed. */
  feed: PriceFeed | null
  onClose: () => void
}

export function FeedDialog({ feed, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const form = useZodForm(feedForm, valuesOf(feed))
  const hints = useHints(form)
  const saving = useChange(PRICES, saveFeed)
  const kind = form.watch('kind')
  const submit = form.handleSubmit((values) => {
    if (saving.isPending) return
    const onSuccess = () => {
      onClose()
      showSuccess(t('pricing.feed.saved'))
    }
    saving.mutate({ id: feed?.id ?? null, draft: draftOf(values) }, { onSuccess })
  })
  const title = feed ? t('pricing.feed.edit', { name: feed.name }) : t('pricing.feed.add')
  return (
    <FormDialog onClose={onClose} title={title}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="lg">
          <TextInput
            label={t('pricing.feed.name')}
            autoComplete="off"
            data-autofocus
            {...form.register('name')}
            {...hints('name')}
          />
          <NativeSelect
            label={t('pricing.feed.kind')}
            data={FEED_KINDS.map((value) => ({ value, label: t(`pricing.kind.${value}`) }))}
            {...form.register('kind')}
          />
          <TextInput
            label={t('pricing.feed.url')}
            autoComplete="off"
            spellCheck={false}
            {...form.register('url')}
            {...hints('url', t('pricing.feed.urlHint'))}
          />
          {kind === 'gateway' && (
            <TextInput
              label={t('pricing.feed.group')}
              autoComplete="off"
              {...form.register('key_group')}
            />
          )}
          <TextInput
            label={t('pricing.feed.vendors')}
            autoComplete="off"
            {...form.register('auto_vendors')}
            {...hints('auto_vendors', t('pricing.feed.vendorsHint'))}
          />
          {NUMBERS.map(([name, label]) => (
            <TextInput
              key={name}
              label={t(`pricing.feed.${label}`)}
              inputMode="numeric"
              autoComplete="off"
              {...form.register(name)}
              {...hints(name)}
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
