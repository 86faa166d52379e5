import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { Copy, Download } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { Link } from '../../lib/router/router.tsx'
import { Page } from '../../ui/page.tsx'

export type CreatedCodes = { name: string; codes: readonly string[] }

export const saveCodes = ({ name, codes }: CreatedCodes) =>
  downloadText(fileNameOf(name, 'txt'), `${codes.join('\n')}\n`)

/** New codes to copy. Their file has already been saved. */
export function CreatedCodesPanel({ created }: { created: CreatedCodes }) {
  const { t } = useTranslation()
  const { name, codes } = created
  const text = codes.join('\n')
  return (
    <Page title={t('redemption.made.title', { name })} width="form">
      <Stack gap="lg">
        <Text role="status">
          {t('redemption.made.saved', { count: codes.length, file: fileNameOf(name, 'txt') })}
        </Text>
        <Textarea
          label={t('redemption.made.codes')}
          value={text}
          readOnly
          autosize
          minRows={1}
          maxRows={16}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Group gap="sm">
          <Button
            autoFocus
            leftSection={<Copy size={14} aria-hidden />}
            onClick={() => void copyText(text)}
          >
            {t('redemption.made.copy')}
          </Button>
          <Button
            variant="default"
            leftSection={<Download size={14} aria-hidden />}
            onClick={() => saveCodes(created)}
          >
            {t('redemption.made.download')}
          </Button>
          <Button variant="default" component={Link} to="/redemption">
            {t('redemption.form.back')}
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}
