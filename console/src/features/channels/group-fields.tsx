import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints } from '../../lib/form.ts'
import { groupsQuery } from '../../lib/groups.ts'
import { TagsField } from '../../ui/tags-field.tsx'
import type { ChannelValues } from './channel-values.ts'
import { TagField } from './tag-field.tsx'
import { UnknownGroups } from './unknown-groups.tsx'

type Props = { form: UseFormReturn<ChannelValues, unknown, ChannelValues> }

/** The groups that a channel serves, and its tag. */
export function GroupFields({ form }: Props) {
  const { t } = useTranslation()
  const hints = useHints(form)
  // Loaded only when the user opens the choice.
  const [isChoosing, setIsChoosing] = useState(false)
  const groups = useQuery({ ...groupsQuery, enabled: isChoosing })
  return (
    <>
      <Controller
        control={form.control}
        name="groups"
        render={({ field }) => (
          <div>
            <TagsField
              label={t('channelForm.groups')}
              data={groups.data ?? []}
              onFocus={() => setIsChoosing(true)}
              {...field}
              {...hints('groups', t('channelForm.groupsHint'))}
            />
            <UnknownGroups groups={field.value} />
          </div>
        )}
      />
      <Controller
        control={form.control}
        name="tag"
        render={({ field }) => <TagField {...field} {...hints('tag', t('channel.tag.hint'))} />}
      />
    </>
  )
}
