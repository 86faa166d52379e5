import { Button } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { Copyable } from '../../../ui/copyable.tsx'
import classes from './connect.module.css'
import type { Client, Setup, Step } from './setup.ts'

type Props = {
  client: Client
  setup: Setup
  /** The set-up with a masked key, for the screen. */
  shown: Setup
}

export function Steps({ client, setup, shown }: Props) {
  const { t } = useTranslation()
  const visible = client.steps(shown)
  return (
    <ol className={classes['steps']}>
      {client.steps(setup).map((step, index) => (
        <li key={keyOf(step)}>
          <Task step={step} />
          {step.copies !== undefined && (
            <Copyable
              block
              label={t('connect.page.copy', { number: index + 1 })}
              text={step.copies}
              shown={visible[index]?.copies ?? ''}
            />
          )}
          {step.link !== undefined && (
            <Button
              variant="default"
              leftSection={<ExternalLink size={14} aria-hidden />}
              onClick={() => openClient(step.link)}
            >
              {t('connect.page.openIn', { name: client.name })}
            </Button>
          )}
        </li>
      ))}
    </ol>
  )
}

const keyOf = (step: Step) =>
  'text' in step ? step.text : 'file' in step ? step.file : step.command

function Task({ step }: { step: Step }) {
  const { t } = useTranslation()
  if ('text' in step) return t(step.text)
  if ('file' in step) return t('connect.step.addFile', { file: step.file })
  return t('connect.step.start', { command: step.command })
}

/** The link contains the key, so it is no link of the page, and no page learns where it was. */
function openClient(link = '') {
  if (/^https?:/.test(link)) window.open(link, '_blank', 'noopener,noreferrer')
  else window.location.assign(link)
}
