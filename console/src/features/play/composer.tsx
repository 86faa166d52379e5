import { Button, Textarea } from '@mantine/core'
import { Paperclip, X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ATTACHMENTS_MAX, pastedFiles, readAttachments } from './attachments.ts'
import type { Attachment, Turn } from './conversation.ts'
import classes from './play.module.css'

type Props = {
  isRunning: boolean
  isReady: boolean
  onSend: (message: Pick<Turn, 'text' | 'attachments'>) => void
  onStop: () => void
}

export function Composer({ isRunning, isReady, onSend, onStop }: Props) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const canSend = isReady && !isRunning && (text.trim() !== '' || attachments.length > 0)
  const send = () => {
    if (!canSend) return
    onSend({ text: text.trim(), attachments })
    setText('')
    setAttachments([])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send()
  }
  const attach = async (files: readonly File[]) => {
    const read = await readAttachments(files, ATTACHMENTS_MAX - attachments.length)
    // Others may have been read meanwhile.
    setAttachments((current) => [...current, ...read].slice(0, ATTACHMENTS_MAX))
  }
  useDroppedFiles((files) => void attach(files))
  const onPaste = (event: ClipboardEvent) => {
    const files = pastedFiles(event.clipboardData)
    if (files.length === 0) return
    event.preventDefault()
    void attach(files)
  }
  return (
    <form
      className={classes['composer']}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Textarea
        aria-label={t('play.composer.label')}
        placeholder={t('play.composer.placeholder')}
        autoFocus
        autosize
        minRows={2}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {attachments.length > 0 && (
        <ul className={classes['files']}>
          {[...attachments.entries()].map(([position, attachment]) => (
            <li key={position}>
              <AttachmentView attachment={attachment} />
              <IconButton
                size={24}
                aria-label={t('play.composer.remove', { name: attachment.name })}
                onClick={() => setAttachments(attachments.filter((item) => item !== attachment))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className={classes['buttons']}>
        <FilePicker onFiles={(files) => void attach(files)} />
        {isRunning ? (
          <Button variant="default" onClick={onStop}>
            {t('play.composer.stop')}
          </Button>
        ) : (
          <Button type="submit" disabled={!canSend}>
            {t('play.composer.send')}
          </Button>
        )}
      </div>
    </form>
  )
}

/** Takes files dropped anywhere on the page, which a browser would show in place of the page. */
function useDroppedFiles(onFiles: (files: readonly File[]) => void) {
  const listener = useRef(onFiles)
  useEffect(() => {
    listener.current = onFiles
  }, [onFiles])
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      if (event.type === 'drop') listener.current([...event.dataTransfer.files])
    }
    const listening = new AbortController()
    window.addEventListener('dragover', onDrag, listening)
    window.addEventListener('drop', onDrag, listening)
    return () => listening.abort()
  }, [])
}

/** Images come from data URLs, which reach no other server. */
export function AttachmentView({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation()
  const { kind, name, data, isLost } = attachment
  if (isLost) {
    return <span className={classes['file']}>{t('play.message.lost', { name })}</span>
  }
  if (kind !== 'image') return <span className={classes['file']}>{name}</span>
  return <img className={classes['image']} src={data} alt={name} />
}

function FilePicker({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('play.composer.attach')}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          // The same file can then be chosen again.
          currentTarget.value = ''
        }}
      />
      <IconButton
        size={32}
        isOutlined
        aria-label={t('play.composer.attach')}
        onClick={() => input.current?.click()}
      >
        <Paperclip size={14} aria-hidden />
      </IconButton>
    </>
  )
}
