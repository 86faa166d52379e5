import { Checkbox, Stack, Text } from '@mantine/core'
import { Settings2 } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useStored } from '../../lib/use-stored.ts'
import { LatePopover } from '../late-popover.tsx'
import type { Column } from './column.ts'

type Props<Row> = {
  columns: readonly Column<Row>[]
  hidden: readonly string[]
  onChange: (hidden: string[]) => void
}

export function ViewMenu<Row>({ columns, hidden, onChange }: Props<Row>) {
  const { t } = useTranslation()
  const [density, setDensity] = useStored('density')
  const toggle = (id: string, isShown: boolean) =>
    onChange(isShown ? hidden.filter((other) => other !== id) : [...hidden, id])
  return (
    <LatePopover label={t('common.table.view')} icon={<Settings2 size={14} aria-hidden />}>
      {(_close, { Radio }) => (
        <Stack gap="md">
          <Radio.Group
            size="xs"
            label={t('common.table.density')}
            value={density ?? 'normal'}
            onChange={setDensity}
          >
            <Stack gap="xs" mt={4}>
              <Radio size="xs" value="normal" label={t('common.table.densityNormal')} />
              <Radio size="xs" value="compact" label={t('common.table.densityCompact')} />
            </Stack>
          </Radio.Group>
          <Stack gap="xs" role="group" aria-label={t('common.table.columns')}>
            <Text size="xs" fw={600}>
              {t('common.table.columns')}
            </Text>
            {columns.map(({ id, label, shown }) => (
              <Checkbox
                key={id}
                size="xs"
                label={t(label)}
                checked={!hidden.includes(id)}
                disabled={shown === 'always'}
                onChange={(event) => toggle(id, event.currentTarget.checked)}
              />
            ))}
          </Stack>
        </Stack>
      )}
    </LatePopover>
  )
}
