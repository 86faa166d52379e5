import { Button, type ButtonProps, FileButton as FileInput } from '@mantine/core'
import { useRef } from 'react'

type Props = ButtonProps & {
  children: string
  accept: string
  /** Accessible name of the input, if it is more than the text. */
  label?: string
  onFile: (file: File) => void
}

/** A button that asks for a file: also for the same file again, after it was corrected. */
export function FileButton({ children, accept, label = children, onFile, ...button }: Props) {
  const reset = useRef<() => void>(null)
  return (
    <FileInput
      accept={accept}
      resetRef={reset}
      onChange={(file) => {
        reset.current?.()
        if (file) onFile(file)
      }}
      inputProps={{ 'aria-label': label }}
    >
      {(props) => (
        <Button variant="default" {...button} {...props}>
          {children}
        </Button>
      )}
    </FileInput>
  )
}
