import classes from './truncated-text.module.css'

type Props = {
  text: string
  /** Maximum width in pixels; `screenShare` caps the width in percent of the viewport. */
  width?: number
  screenShare?: number
}

export function TruncatedText({ text, width = 240, screenShare = 100 }: Props) {
  const maxWidth = `min(${width}px, ${screenShare}vw)`
  return (
    <span className={classes['cut']} style={{ maxWidth }} title={text}>
      {text}
    </span>
  )
}
