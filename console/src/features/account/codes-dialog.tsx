import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { Copy, Download, Printer } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { copyText } from '../../lib/clipboard.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { formatTime } from '../../lib/format.ts'
import { useSession } from '../../lib/session.ts'
import { useSystemName } from '../../lib/status.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import classes from './account.module.css'

type Props = { codes: readonly string[]; onClose: () => void }

/**
 * Shows new recovery codes until the user confirms having saved them. They cannot be shown again.
 */
export function CodesDialog({ codes, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  useLeaveGuard(true)
  const username = useSession()?.username ?? ''
  const site = useSystemName()
  const box = useRef<HTMLInputElement>(null)
  const [isSaved, setIsSaved] = useState(false)
  const [isSubmitted, setIsSubmitted] = useState(false)
  const text = codes.join('\n')
  const fileTitle = t('account.codes.fileTitle', { site, name: username })
  const createdTime = formatTime(Math.floor(Date.now() / 1000))
  const file = [
    fileTitle,
    `${window.location.origin} · ${createdTime}`,
    '',
    text,
    '',
    t('account.codes.fileHint'),
    '',
  ].join('\n')
  const finish = () => {
    if (isSaved) return onClose()
    setIsSubmitted(true)
    box.current?.focus()
  }
  return (
    <Modal
      opened
      onClose={finish}
      title={t('account.codes.title')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="lg">
        <Text>{t('account.codes.keep')}</Text>
        <div className={classes['print']}>
          <p className={classes['printOnly']}>{fileTitle}</p>
          <ul className={classes['codes']} aria-label={t('account.codes.list')}>
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <p className={classes['printOnly']}>{t('account.codes.fileHint')}</p>
        </div>
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<Copy size={14} aria-hidden />}
            data-autofocus
            onClick={() => void copyText(text)}
          >
            {t('common.action.copy')}
          </Button>
          <Button
            variant="default"
            leftSection={<Download size={14} aria-hidden />}
            onClick={() => downloadText(fileNameOf(`${username}-recovery-codes`, 'txt'), file)}
          >
            {t('account.codes.download')}
          </Button>
          <Button
            variant="default"
            leftSection={<Printer size={14} aria-hidden />}
            onClick={() => window.print()}
          >
            {t('account.codes.print')}
          </Button>
        </Group>
        <Checkbox
          ref={box}
          label={t('account.codes.saved')}
          checked={isSaved}
          error={isSubmitted && !isSaved && t('account.codes.saveFirst')}
          onChange={(event) => setIsSaved(event.currentTarget.checked)}
        />
        <Button onClick={finish}>{t('account.codes.done')}</Button>
      </Stack>
    </Modal>
  )
}
